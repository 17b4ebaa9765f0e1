"""Rules of webhooks without a server: signatures, public addresses, pauses between tries."""

import base64
import hashlib
import hmac
import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from patina.webhook import outbox
from patina.webhook.address import is_public
from patina.webhook.signing import make_secret, sign


def test_the_specification_s_own_example_has_its_signature() -> None:
    """The example of the reference libraries' tests: receivers that follow the specification accept our signatures."""
    signature = sign(
        secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp=1614265330,
        body=b'{"test": 2432232314}',
    )
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@given(st.binary(max_size=9000), st.text("0123456789abcdef", min_size=1), st.integers(0, 2**40))
def test_a_receiver_with_the_secret_finds_the_signature_right(body: bytes, name: str, timestamp: int) -> None:
    secret = make_secret()
    version, _, signature = sign(secret=secret, message_id=f"msg_{name}", timestamp=timestamp, body=body).partition(",")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = hmac.new(key, b".".join([f"msg_{name}".encode(), str(timestamp).encode(), body]), hashlib.sha256)
    assert (version, base64.b64decode(signature)) == ("v1", expected.digest())
    assert 24 <= len(key) <= 64


@given(st.binary(max_size=50), st.binary(max_size=50))
def test_another_body_secret_or_time_has_another_signature(one: bytes, other: bytes) -> None:
    secret = make_secret()

    def _sign(body: bytes, secret: str = secret, timestamp: int = 1) -> str:
        return sign(secret=secret, message_id="msg_1", timestamp=timestamp, body=body)

    assert (_sign(one) == _sign(other)) == (one == other)
    assert len({_sign(one), _sign(one, make_secret()), _sign(one, timestamp=2)}) == 3


@pytest.mark.parametrize(
    "text",
    ["0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.255.0.1", "169.254.169.254", "172.16.0.1", "192.0.0.8",
     "192.168.1.1", "198.18.0.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
     "::", "::1", "fc00::1", "fd12::1", "fe80::1", "fec0::1", "ff02::1", "ff0e::1", "2001:db8::1", "::ffff:127.0.0.1",
     "::ffff:192.168.0.1", "64:ff9b::a00:1", "64:ff9b:1::1", "2002:7f00:1::", "2002:c0a8:101::", "2001::1", "::7f00:1",
     "100::1"],
)  # fmt: skip
def test_these_addresses_are_not_public(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"])
def test_these_addresses_are_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


def test_eight_tries_take_about_a_day_and_pauses_grow() -> None:
    pauses = [outbox.pause_before_next_s(count) for count in range(1, outbox.TRIES_COUNT_LIMIT)]
    assert pauses == sorted(pauses)
    assert 18 * 3600 <= sum(pauses) <= 30 * 3600
