"""Errors of a bucket: unreachable or full may pass, the others need a person."""

import re

from obstore.exceptions import BaseError, PermissionDeniedError, PreconditionError, UnauthenticatedError

from patina.errors import PatinaError

_CODE = re.compile(r"<Code>([^<]{1,100})</Code>(?:\s*<Message>([^<]{0,300})</Message>)?")
_STATUS = re.compile(r"non-2xx status code: (\d{3}[^:\n]{0,60})")
_SYSTEM = re.compile(r'(?:message|error): "([^"\n]{1,200})"')
_KIND = re.compile(r"HttpError \{\s+kind: (\w+)")
_NO_BUCKET = frozenset({"NoSuchBucket", "InvalidBucketName", "PermanentRedirect", "AuthorizationHeaderMalformed"})
_FULL = re.compile(r"QuotaExceeded|StorageFull|InsufficientStorage|InsufficientCapacity|EntityTooManyObjects")
_SERVER_ERROR = re.compile(r"^(?:5\d\d|408|429)")


class BucketRefusal(PatinaError):
    """A request to the bucket failed."""

    code = "bucket_failed"
    status = 502
    title = "The bucket failed"


class BucketObjectTooLong(BucketRefusal):
    """The object is longer than the caller's limit."""


BucketUnreachable = BucketRefusal.of("bucket_unreachable", "The bucket does not answer", status=503)
BucketFull = BucketRefusal.of("bucket_full", "The bucket is full", status=507)
BucketMissing = BucketRefusal.of("bucket_missing", "There is no such bucket")
BucketRefused = BucketRefusal.of("bucket_refused", "The bucket refuses the key")
BucketChanged = BucketRefusal.of("bucket_changed", "The bucket changed meanwhile")


def of_error(error: BaseError | OSError, *, bucket: str, what: str) -> BucketRefusal:
    """Returns the refusal for the library's error, with the error's text."""
    text = str(error)
    said = _CODE.search(text)
    code = said[1] if said else ""
    status = _STATUS.search(text)
    reason = f"{code}: {said[2] or ''}".rstrip(": ") if said else _transport_reason(text, status)
    where = f"The bucket {bucket}"
    if _FULL.search(code) or (status and status[1].startswith("507")):
        return BucketFull(f"{where} is full ({what}: {reason}). Make room there, then try again.")
    if code in _NO_BUCKET:
        return BucketMissing(f"{where} is not there ({what}: {reason}). Make it, or correct PATINA_STORE_BUCKET.")
    if isinstance(error, PreconditionError):
        return BucketChanged(f"{where} changed meanwhile ({what}: {reason}). Try again.")
    if isinstance(error, PermissionDeniedError | UnauthenticatedError) or (status and status[1][:3] in ("401", "403")):
        return BucketRefused(
            f"{where} refuses us ({what}: {reason}). "
            "Check PATINA_STORE_ACCESS_KEY, PATINA_STORE_SECRET_KEY and what the key may do."
        )
    if status is None or _SERVER_ERROR.match(status[1]):
        return BucketUnreachable(f"{where} cannot be reached ({what}: {reason}). Try again when it answers.")
    return BucketRefusal(f"{where} failed ({what}: {reason}). Look at its server's log.")


def _transport_reason(text: str, status: re.Match[str] | None) -> str:
    if status is not None:
        return status[1].strip()
    found = _SYSTEM.search(text) or _KIND.search(text)
    return found[1] if found else text.partition("\n")[0][-300:]
