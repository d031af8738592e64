"""Starts previews: audits of an address at which the website is not public yet. A website has one preview at a time."""

import base64
import re
from collections.abc import Mapping, Sequence
from typing import Final

from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.domain.audit import preview
from chalicelib.domain.audit.kept import KeptAudit, KeptPage
from chalicelib.domain.audit.records import CrawlHeader
from chalicelib.domain.crawl import urls
from chalicelib.domain.crawl.budget import (
    API_START_WINDOW_SECONDS,
    audit_budget,
    recent_starts,
    time_limit_minutes,
)
from chalicelib.operations.audits import OverPlanLimit, send_slice
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.randomness import random_bytes
from chalicelib.store import acts, crawls, kept_audits, previews, websites
from chalicelib.store.context import request_id
from chalicelib.store.secrets import Secret
from chalicelib.store.transactions import committed
from chalicelib.store.websites import Website

MOST_HEADERS: Final = 10
LONGEST_NAME: Final = 100
LONGEST_VALUE: Final = 2_000
MOST_CHARACTERS: Final = 3_000  # of all names and values together
_MOST_SEALED: Final = 4_096  # bytes that KMS encrypts; quotes and backslashes take two each
_TOKEN: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_VALUE: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")
# Headers that say how a request is sent, or who sends it.
_OURS: Final = re.compile(
    r"(?:host|user-agent|accept|accept-encoding|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect"
    r"|content-.*|proxy-.*|sec-.*|if-.*|range)",
    re.IGNORECASE,
)


class Running(Refused):
    """Refused because a preview of the website is queued or running."""

    def __init__(self, preview_id: str) -> None:
        super().__init__("preview_running", "A preview of this website is queued or running. Follow it at `poll`.")
        self.preview_id = preview_id


class TooManyPreviews(Refused):
    """Refused because the website has had the allowed number of previews in the last 24 hours. ``retry_at``: when the
    next preview is possible (epoch seconds)."""

    def __init__(self, retry_at: float) -> None:
        most = preview.STARTS_PER_DAY
        super().__init__("too_many_previews", f"At most {most} previews of a website can be started in 24 hours.")
        self.retry_at = retry_at


class BadUrl(Refused):
    """Refused because one of the addresses in ``named`` cannot be read. ``place``: the index of that address, from
    0.
    """

    def __init__(self, place: int, message: str) -> None:
        super().__init__("bad_url", message)
        self.place = place


def access_of(headers: Mapping[str, str], basic: tuple[str, str] | None) -> Secret | None:
    """Return the access data of a preview, packed as a secret: headers, user name and password. Returns None if there
    are none.

    Refused: ``bad_headers``, ``bad_basic_auth``. No error message contains these values.
    """
    if len(headers) > MOST_HEADERS:
        raise Refused("bad_headers", f"`headers` has more than {MOST_HEADERS} members.")
    names = [name.lower() for name in headers]
    if basic is not None:
        names.append("authorization")
    if len(set(names)) < len(names):
        raise Refused("bad_headers", "`headers` names a header twice; `basicAuth` is the header `Authorization`.")
    for number, (name, value) in enumerate(headers.items(), 1):
        if len(name) > LONGEST_NAME or not _TOKEN.fullmatch(name):
            raise Refused("bad_headers", f"`headers` has an invalid header name, at place {number}.")
        if _OURS.fullmatch(name):
            raise Refused("bad_headers", f"`headers` cannot set {name}, because the crawler sets it.")
        if len(value) > LONGEST_VALUE or not _VALUE.fullmatch(value):
            raise Refused(
                "bad_headers",
                f"`headers`: the value of {name} must be 1 to {LONGEST_VALUE:,} visible ASCII characters.",
            )
    sent = dict(headers)
    if basic is not None:
        sent["Authorization"] = _basic(*basic)
    if sum(len(name) + len(value) for name, value in sent.items()) > MOST_CHARACTERS:
        raise Refused(
            "bad_headers", f"`headers` and `basicAuth` have more than {MOST_CHARACTERS:,} characters together."
        )
    sealed = previews.secret_of(sent)
    if len(sealed.reveal()) > _MOST_SEALED:
        raise Refused(
            "bad_headers", "`headers` and `basicAuth` are too long: quotes and backslashes count as two characters."
        )
    return sealed if sent else None


def _basic(user: str, password: str) -> str:
    if ":" in user or not (user + password).isprintable() or not user or len(user + password) > LONGEST_VALUE // 2:
        raise Refused(
            "bad_basic_auth",
            "`basicAuth` must be a user name without a colon and a password, of printable characters, together at "
            f"most {LONGEST_VALUE // 2:,}.",
        )
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def start(
    website: Website,
    plan_limit: int,
    url: str,
    *,
    access: Secret | None,
    ignores_robots: bool,
    page_budget: int | None,
    person_id: str | None,
    now: float,
    key_id: str | None = None,
    named: Sequence[str] = (),
) -> CrawlHeader:
    """Start a preview of a website at this address.

    - ``access``: the access data (``access_of``).
    - ``key_id``: the API key with which the person starts the preview.
    - ``named``: if given, only these addresses and the home page are read.

    Refused: ``bad_url``, ``preview_running``, ``too_many_previews``, ``over_plan_limit``, ``busy``. Raises
    ``AWS_ERRORS`` if ``access`` cannot be encrypted.
    """
    site_origin = urls.origin(website.home_url)
    origin = _origin(url, site_origin)
    asked_urls = _asked_urls(named, site_origin, origin)
    asked_pages = len({website.home_url, *asked_urls}) if asked_urls else 0
    budget = audit_budget(website.page_budget, plan_limit)
    if page_budget is None and asked_urls:
        page_budget = min(asked_pages, plan_limit)
    asked = page_budget if page_budget is not None else budget.default
    if asked > plan_limit:
        raise OverPlanLimit(asked, plan_limit)
    header = CrawlHeader(
        id=ids.time_ordered("prev", now, random_bytes(10)),
        site_id=website.id,
        workspace_id=website.workspace_id,
        kind="preview",
        status="queued",
        stage="queued",
        queued_at=now,
        page_budget=asked,
        time_limit_minutes=time_limit_minutes(asked, budget.default),
        person_id=person_id,
        capped_by_plan=page_budget is None and budget.capped_by_plan,
        budget_is_plan_limit=asked == plan_limit,
        request_id=request_id.get(),
        preview_origin=origin,
        site_origin=site_origin,
        ignores_robots=ignores_robots,
        asked_pages=asked_pages,
    )
    by = OPERATOR if person_id is None else Actor(website.workspace_id, person_id, key_id=key_id)
    noted = acts.done(crawls.TABLE, by, website.workspace_id, "preview.started", now, header.id, website.name)
    for _ in tries():
        before = previews.last(website.id)
        starts: list[float] = []
        if before is not None:
            known = previews.load(website.id, before.preview_id)
            if known is not None and not known.header.ended:
                raise Running(before.preview_id)
            starts = recent_starts(before.starts, now)
        if len(starts) >= preview.STARTS_PER_DAY:
            raise TooManyPreviews(starts[0] + API_START_WINDOW_SECONDS)
        begun = previews.begun(header, before, [*starts, now], access, asked_urls)
        if committed([*begun, websites.still_there(website), noted]):
            send_slice(header)
            return header
    raise busy("this website's previews")


def existing_kept(found: previews.Stored) -> KeptAudit:
    """Return the stored result of a preview, without its pages. Refused: ``not_kept``."""
    if found.kept is None:
        raise Refused("not_kept", "No results of the preview are stored: it has not ended, or it judged nothing.")
    return found.kept


def own_with_pages(site_id: str, found: previews.Stored) -> tuple[KeptAudit, list[KeptPage] | None]:
    """Return a preview's own findings and pages. One round trip per 100 blocks of pages. Refused: ``not_kept``."""
    kept = existing_kept(found)
    (pages,) = kept_audits.load_pages(site_id, [kept])
    return preview.own(kept, pages)


def _asked_urls(named: Sequence[str], site_origin: str, origin: str) -> list[str]:
    """Convert the named addresses to addresses of the website. Refused: ``bad_url``; raises ``BadUrl`` for one
    address."""
    # Imported here, since only starting a preview needs them.
    from chalicelib.domain.crawl.assets import is_file
    from chalicelib.domain.crawl.stand_ins import StandIn

    if len(named) > preview.MOST_URLS:
        raise Refused("bad_url", f"At most {preview.MOST_URLS} pages of a preview can be named.")
    place, found = StandIn(site_origin, origin), []
    for number, url in enumerate(named):
        address = urls.normalise(place.told(url.strip()))
        if address is None or urls.origin(address) != place.site:
            raise BadUrl(number, "`urls` must be addresses of the preview's host or of the website.")
        if is_file(address):
            raise BadUrl(number, "`urls` must be addresses of pages: this one is a file.")
        found.append(address)
    return list(dict.fromkeys(found))


def _origin(url: str, site_origin: str) -> str:
    """Return the origin of a preview. Refused: ``bad_url``. The message does not repeat the address, which may contain
    a password."""
    # Imported here, since only starting a preview looks up a host.
    from chalicelib.connectors import home_pages

    address = urls.normalise(url.strip())
    if address is None or urls.path_and_query(address) != "/":
        raise Refused("bad_url", "`url` must be the address of a host, such as `https://staging.example.com/`.")
    origin = urls.origin(address)
    if origin == site_origin:
        raise Refused("bad_url", "`url` is the website itself: start an audit.")
    why = home_pages.why_out_of_reach(address)
    if why is not None:
        raise Refused("bad_url", f"`url` cannot be audited: {why}.")
    return origin
