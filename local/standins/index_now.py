"""A stand-in for IndexNow. It accepts requests of the protocol, checks the website's key, and records submissions."""

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from chalicelib.net.calls import NoAnswer, call
from chalicelib.settings.network import network_settings
from local.serving import Answer, Request, Standin

PATH: Final = "/indexnow"
MOST: Final = 10_000
RETRY_SECONDS: Final = 3_600
_SECONDS: Final = 5.0
_KEY: Final = re.compile(r"[A-Za-z0-9-]{8,128}", re.ASCII)

# pending: submissions are accepted, and the key is checked later. quota: too many requests, with the time to wait.
# down: server error. wrong: every request is called invalid. other_host: every address is said to belong to another
# host. partial: the submission counts, but the answer breaks off.
FAULTS: Final = ("none", "pending", "quota", "down", "wrong", "other_host", "partial")


class Told(NamedTuple):
    """One submission that was accepted."""

    host: str
    key: str
    location: str
    urls: list[str]


class IndexNow(Standin):
    """A stand-in for IndexNow, as an HTTP server on a free port. It runs from its creation until ``stop``.

    ``told``: accepted submissions, in order. ``asked``: the number of requests.
    """

    name = "indexnow"
    called = "IndexNow"
    faults = FAULTS

    def __init__(self) -> None:
        self.told: list[Told] = []
        self.asked = 0
        super().__init__()

    def settings(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the settings that connect the service to this stand-in. Returns {} if ``given``, the user's own
        settings, already has an address of IndexNow."""
        return {} if given.get("INDEXNOW_URL") else {"INDEXNOW_URL": self.url + PATH}

    def respond(self, request: Request) -> Answer:
        self.asked += 1
        if self.fault == "quota":
            return Answer(429, b"", {"Retry-After": str(RETRY_SECONDS)})
        if self.fault == "down":
            return Answer(503)
        told = None if self.fault == "wrong" or request.path != PATH else _read(request.json())
        if told is None:
            return self.json_answer(400, {"code": "InvalidRequestParameters"})
        of_host = (urlsplit(one).netloc == told.host for one in [told.location, *told.urls])
        if self.fault == "other_host" or not all(of_host):
            return self.json_answer(422, {"code": "UnprocessableEntity"})
        if self.fault != "pending" and _text_at(told.location) != told.key:
            return self.json_answer(403, {"code": "UserForbiddedToAccessSite"})
        self.told.append(told)
        return Answer(202 if self.fault == "pending" else 200, b"taken", broken=self.fault == "partial")


def _read(body: Any) -> Told | None:
    """Read the content of a submission. Returns None if it does not follow the protocol."""
    if not isinstance(body, dict) or set(body) != {"host", "key", "keyLocation", "urlList"}:
        return None
    host, key, location, urls = (body[name] for name in ("host", "key", "keyLocation", "urlList"))
    if not all(isinstance(one, str) for one in (host, key, location)) or not _KEY.fullmatch(key):
        return None
    if not isinstance(urls, list) or not 1 <= len(urls) <= MOST or not all(isinstance(one, str) for one in urls):
        return None
    return Told(host, key, location, urls)


def _text_at(url: str) -> str | None:
    settings = network_settings()
    try:
        reply = call(
            "GET",
            url,
            {"User-Agent": "IndexNow stand-in"},
            seconds=_SECONDS,
            allow_addresses=settings.allow_addresses,
            extra_hosts=settings.extra_hosts,
            ca_file=settings.extra_ca_file,
        )
    except NoAnswer:
        return None
    return reply.body.decode("ascii", "replace").strip() if reply.status == 200 else None
