"""S3 for the local service and the tests: one bucket that stores and deletes objects, and serves them at signed
addresses.

Like the real S3, it checks an address's signature and its expiry. Objects expire a day after they were stored, as in
the deployment's bucket.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit
from xml.sax.saxutils import escape

import botocore.session

from chalicelib import clock
from chalicelib.settings.core import core_settings
from local.locking import LOCK

Answer = tuple[int, dict[str, str], bytes]

LIFE_SECONDS: Final = 24 * 3_600
_ALGORITHM: Final = "AWS4-HMAC-SHA256"
_SIGNATURE: Final = "X-Amz-Signature"
_SAFE: Final = "-_.~"


@dataclass(frozen=True)
class _Object:
    content: bytes
    media_type: str
    put_at: float  # by the service's clock


class _Refused(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(code)
        self.status, self.code, self.message = status, code, message


_objects: dict[str, _Object] = {}  # by key


def clear() -> None:
    """Forget all objects."""
    with LOCK:
        _objects.clear()


def answer(method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
    """Answer a request for ``/bucket/key``. ``target``: path and query. ``headers``: the headers by lower-case
    names."""
    try:
        with LOCK:
            if method == "PUT":
                return _put(target, headers, body)
            if method == "DELETE":
                return _delete(target, headers)
            if method == "HEAD" or urlsplit(target).query == "lifecycle":
                return _of_bucket(method, target, headers)
            return _get(target, headers)
    except _Refused as refused:
        text = f"<Error><Code>{refused.code}</Code><Message>{escape(refused.message)}</Message></Error>"
        return refused.status, {"Content-Type": "application/xml"}, text.encode()


def _key(target: str) -> str:
    bucket, _, key = unquote(urlsplit(target).path).lstrip("/").partition("/")
    if bucket != core_settings().exports_bucket:
        raise _Refused(404, "NoSuchBucket", "The specified bucket does not exist")
    return key


def _of_bucket(method: str, target: str, headers: Mapping[str, str]) -> Answer:
    """Answer requests about the bucket itself: whether it exists, and its expiry rule."""
    if not headers.get("authorization", "").startswith(_ALGORITHM):
        raise _Refused(403, "AccessDenied", "Access Denied")
    if _key(target):
        raise _Refused(405, "MethodNotAllowed", "The specified method is not allowed against this resource.")
    if method == "HEAD":
        return 200, {}, b""
    rule = "<ID>forget</ID><Filter/><Status>Enabled</Status><Expiration><Days>1</Days></Expiration>"
    text = f"<LifecycleConfiguration><Rule>{rule}</Rule></LifecycleConfiguration>"
    return 200, {"Content-Type": "application/xml"}, text.encode()


def _put(target: str, headers: Mapping[str, str], body: bytes) -> Answer:
    if not headers.get("authorization", "").startswith(_ALGORITHM):
        raise _Refused(403, "AccessDenied", "Access Denied")
    told = headers.get("x-amz-content-sha256")
    if told not in ("UNSIGNED-PAYLOAD", hashlib.sha256(body).hexdigest()):
        raise _Refused(400, "XAmzContentSHA256Mismatch", "The content differs from the signed content")
    media_type = headers.get("content-type", "binary/octet-stream")
    _objects[_key(target)] = _Object(body, media_type, clock.now())
    return 200, {"ETag": _etag(body)}, b""


def _delete(target: str, headers: Mapping[str, str]) -> Answer:
    if not headers.get("authorization", "").startswith(_ALGORITHM):
        raise _Refused(403, "AccessDenied", "Access Denied")
    _objects.pop(_key(target), None)
    return 204, {}, b""


def names() -> list[str]:
    """List the keys of all objects."""
    with LOCK:
        return sorted(_objects)


def _get(target: str, headers: Mapping[str, str]) -> Answer:
    query = dict(parse_qsl(urlsplit(target).query, keep_blank_values=True))
    if _SIGNATURE not in query:
        raise _Refused(403, "AccessDenied", "Access Denied")
    if "authorization" in headers:
        raise _Refused(400, "InvalidArgument", "Only one auth mechanism allowed")
    _check_time(query)
    if not hmac.compare_digest(query[_SIGNATURE], _signature(target, query, headers["host"])):
        raise _Refused(403, "SignatureDoesNotMatch", "The signature does not match this request")
    found = _objects.get(_key(target))
    if found is None or found.put_at + LIFE_SECONDS <= clock.now():
        raise _Refused(404, "NoSuchKey", "The specified key does not exist.")
    given = {"Content-Type": query.get("response-content-type", found.media_type), "ETag": _etag(found.content)}
    if "response-content-disposition" in query:
        given["Content-Disposition"] = query["response-content-disposition"]
    return 200, given, found.content


def _check_time(query: Mapping[str, str]) -> None:
    """Check the expiry by the machine's clock, because botocore signs with that clock."""
    try:
        signed = datetime.strptime(query["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        until = signed + timedelta(seconds=int(query["X-Amz-Expires"]))
    except (KeyError, ValueError):
        raise _Refused(400, "AuthorizationQueryParametersError", "The address has no valid signature") from None
    if datetime.now(UTC) >= until:
        raise _Refused(403, "AccessDenied", "Request has expired")


def _signature(target: str, query: Mapping[str, str], host: str) -> str:
    """Compute the signature of a GET of this address with this process's credentials (Signature Version 4)."""
    credentials = botocore.session.get_session().get_credentials()
    assert credentials is not None
    known = credentials.get_frozen_credentials()
    access, _, scope = query.get("X-Amz-Credential", "").partition("/")
    if access != known.access_key:
        raise _Refused(403, "InvalidAccessKeyId", "There is no such access key")
    signed = sorted((quote(name, _SAFE), quote(value, _SAFE)) for name, value in query.items() if name != _SIGNATURE)
    canonical = "\n".join(
        (
            "GET",
            quote(unquote(urlsplit(target).path), _SAFE + "/"),
            "&".join(f"{name}={value}" for name, value in signed),
            f"host:{host}\n",
            "host",
            "UNSIGNED-PAYLOAD",
        )
    )
    text = "\n".join((_ALGORITHM, query["X-Amz-Date"], scope, hashlib.sha256(canonical.encode()).hexdigest()))
    key = f"AWS4{known.secret_key}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


def _etag(content: bytes) -> str:
    return f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
