"""Addresses that webhooks may reach: public ones, and those that the installation allows.

A name is resolved once; all its addresses are checked, and only a checked one is connected to. A later change of
the name's records has no effect.
"""

import ipaddress
import socket
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv6Address

import httpx2

from patina.errors import PatinaError
from patina.settings import settings

Address = IPv4Address | IPv6Address

_NAT64 = ipaddress.ip_network("64:ff9b::/96")


WebhookAddressRefused = PatinaError.of("webhook_address_refused", "Webhooks may not reach this address", status=422)


def host_and_port(url: httpx2.URL) -> tuple[str, int]:
    """Returns the host, as the name service expects it, and the port of a URL."""
    return url.raw_host.decode("ascii").strip("[]"), url.port or (443 if url.scheme == "https" else 80)


def look_up(host: str, port: int) -> list[Address]:
    """Returns every address of a name. Raises OSError if it has none now."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise OSError(f"{host} is no host name: {error}") from error
    return [ipaddress.ip_address(str(place[0]).partition("%")[0]) for *_, place in found]


def checked_addresses(host: str, port: int) -> list[Address]:
    """Returns the addresses of `host`, all allowed. Raises WebhookAddressRefused; OSError if it has none now."""
    addresses = list(dict.fromkeys(look_up(host, port)))
    allowed = settings().webhook_private_addresses_list
    if any(fnmatchcase(host.lower(), glob) for glob in allowed if _network(glob) is None):
        return addresses
    networks = [network for network in map(_network, allowed) if network is not None]
    for address in addresses:
        if not is_public(address) and not any(address in network for network in networks):
            raise WebhookAddressRefused(
                f"{host} is {address}, which is not on the public internet. "
                "Name it in PATINA_WEBHOOK_PRIVATE_ADDRESSES if webhooks shall reach it."
            )
    return addresses


def is_public(address: Address) -> bool:
    """Returns whether the address is on the public internet: not this machine, this network, or unassigned."""
    inner = _embedded(address)
    if inner is not None:
        return is_public(inner)
    if isinstance(address, IPv6Address) and (address.sixtofour is not None or address.is_site_local):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _embedded(address: Address) -> IPv4Address | None:
    """Returns the IPv4 address of a mapped or translated IPv6 one."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped


def _network(word: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(word, strict=False)
    except ValueError:
        return None
