"""One try of one delivery: connects to a checked address, posts, reads the status. Ignores the response's body."""

import asyncio
import ssl
import time
from dataclasses import dataclass
from http import HTTPStatus

import httpx2

from patina import __version__
from patina.webhook.address import Address, WebhookAddressRefused, checked_addresses, host_and_port
from patina.webhook.signing import sign

TIMEOUT_S = 15.0
RETRY_AFTER_LIMIT_S = 86_400


@dataclass(frozen=True)
class Parcel:
    """A message, its address, and its signature's inputs."""

    url: str
    secret: str
    message_id: str
    body: str


@dataclass(frozen=True)
class Answer:
    """The result of a try. `status` is null without an answer."""

    status: int | None
    message: str
    is_refused: bool = False  # another try would be refused too
    retry_after_s: int = 0

    @property
    def is_delivered(self) -> bool:
        return self.status is not None and 200 <= self.status < 300

    @property
    def is_gone(self) -> bool:
        """Returns whether the receiver wants no more messages."""
        return self.status == HTTPStatus.GONE


async def send(parcel: Parcel) -> Answer:
    """Tries once, for `TIMEOUT_S` at most."""
    try:
        async with asyncio.timeout(TIMEOUT_S):
            return await _send(parcel)
    except TimeoutError:
        return Answer(None, f"No answer within {TIMEOUT_S:.0f} s")
    except WebhookAddressRefused as error:
        return Answer(None, error.message, is_refused=True)
    except (httpx2.HTTPError, OSError) as error:
        return Answer(None, f"No answer: {error or type(error).__name__}")


async def _send(parcel: Parcel) -> Answer:
    url = httpx2.URL(parcel.url)
    host, port = host_and_port(url)
    addresses = await asyncio.to_thread(checked_addresses, host, port)
    for address in addresses[:-1]:
        try:
            return await _post(parcel, url, host, address)
        except httpx2.ConnectError:
            continue
    return await _post(parcel, url, host, addresses[-1])


async def _post(parcel: Parcel, url: httpx2.URL, host: str, address: Address) -> Answer:
    """Posts to this address, in the name of `host`."""
    body = parcel.body.encode()
    timestamp = int(time.time())
    headers = {
        "Host": url.netloc.decode("ascii"),
        "Content-Type": "application/json",
        "User-Agent": f"Patina/{__version__}",
        "webhook-id": parcel.message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret=parcel.secret, message_id=parcel.message_id, timestamp=timestamp, body=body),
    }
    # Without proxies and credentials of this process's environment.
    async with httpx2.AsyncClient(verify=ssl.create_default_context(), trust_env=False, timeout=TIMEOUT_S) as client:
        request = client.build_request("POST", url.copy_with(host=str(address)), headers=headers, content=body)
        if url.scheme == "https":
            request.extensions["sni_hostname"] = host
        answer = await client.send(request, stream=True, follow_redirects=False)
        await answer.aclose()
    return _read(answer)


def _read(answer: httpx2.Response) -> Answer:
    message = f"Answered {answer.status_code} {answer.reason_phrase}".strip()[:200]
    if answer.is_redirect:
        message += "; redirects are not followed. Change the webhook's address"
    wish = answer.headers.get("Retry-After", "")
    retry_after_s = min(int(wish), RETRY_AFTER_LIMIT_S) if wish.isascii() and wish.isdigit() else 0
    return Answer(answer.status_code, message, retry_after_s=retry_after_s)
