"""Watched values of a website: the state of some pages, and the verdicts of robots.txt for crawlers.

The last known state of each value is stored, so that a change is reported only once, by the first crawl that sees it.
If a crawl could not determine a state, the last known state is kept and no change is reported.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, get_args

import msgspec

from chalicelib.domain.audit.kept import PageTexts, shortened
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.audit.searched import Searched

MOST_CLICKED: Final = 20  # pages with the most clicks in 28 days
MOST_CHOSEN: Final = 50  # pages that people chose to watch
THROTTLED: Final = 429  # too many requests; says nothing about the page

Field = Literal["status", "title", "canonical", "robots"]
FIELDS: Final[tuple[Field, ...]] = get_args(Field)


class Seen(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last known state of a page.

    - ``status``: the status of its last answer.
    - ``title``, ``canonical`` and ``robots``: the values in its last good answer; None if the answer had no such value.
    - ``read``: whether there ever was a good answer.
    """

    status: int
    read: bool = False
    title: str | None = None
    canonical: str | None = None
    robots: str | None = None


class Watched(msgspec.Struct, frozen=True):
    """The last known state of each watched page, by page id, and of each crawler, by name.

    The state of a crawler is whether it may read the home page.
    """

    pages: dict[str, Seen] = {}
    crawlers: dict[str, bool] = {}


class Access(NamedTuple):
    """Whether a crawler may read the home page, and the robots.txt line that decides.

    - ``allowed``: whether the crawler may read the page; None if unknown.
    - ``rule``: the line; None if no line decides.
    """

    allowed: bool | None
    rule: str | None


class PageMove(NamedTuple):
    url: str
    field: Field
    before: str | int | None
    after: str | int | None


class CrawlerMove(NamedTuple):
    """A crawler whose verdict changed. ``rule``: the robots.txt line that decides now."""

    bot: str
    before: bool
    after: bool
    rule: str | None


class Look(NamedTuple):
    """The state of all watched pages and crawlers after a crawl, and the changes since the previous crawl."""

    now: Watched
    pages: Sequence[PageMove]
    crawlers: Sequence[CrawlerMove] = ()


def chosen(
    rows: Iterable[PageRow], home_url: str, searched: Searched | None, by_people: Sequence[str]
) -> list[PageRow]:
    """Return the pages to watch in the order of their importance: the home page, then the pages with the most clicks,
    then the pages that people chose."""
    by_url = {row.url: row for row in rows}
    clicked = [url for url, figures in (searched or {}).items() if figures.clicks and url in by_url]
    clicked.sort(key=lambda url: (-(searched or {})[url].clicks, url))
    wanted = dict.fromkeys([home_url, *clicked[:MOST_CLICKED], *by_people])
    return [by_url[url] for url in wanted if url in by_url]


def look_at_pages(
    before: Mapping[str, Seen], rows: Iterable[PageRow], texts: Mapping[str, PageTexts]
) -> tuple[dict[str, Seen], list[PageMove]]:
    """Return the current state of these pages, by page id, and the changes.

    ``rows``: the watched pages. ``texts``: the texts of the pages that were read, by page id. When a page's state
    becomes known for the first time, that is not a change.
    """
    found: dict[str, Seen] = {}
    moves: list[PageMove] = []
    for row in rows:
        was = before.get(row.id)
        now = _seen(row, texts.get(row.id), was)
        if now is None:
            continue
        found[row.id] = now
        if was is not None:
            fields = FIELDS if was.read and now.read else FIELDS[:1]
            moves += [
                PageMove(row.url, name, getattr(was, name), getattr(now, name))
                for name in fields
                if getattr(was, name) != getattr(now, name)
            ]
    return found, moves


def look_at_crawlers(
    before: Mapping[str, bool], crawlers: Mapping[str, Access]
) -> tuple[dict[str, bool], list[CrawlerMove]]:
    """Return the current verdict for each crawler, by name, and the changes. When a verdict becomes known for the first
    time, that is not a change."""
    known, moves = dict(before), []
    for bot, (allowed, rule) in crawlers.items():
        was = known.get(bot)
        if allowed is not None:
            known[bot] = allowed
            if was is not None and was is not allowed:
                moves.append(CrawlerMove(bot, was, allowed, rule))
    return known, moves


def _seen(row: PageRow, texts: PageTexts | None, was: Seen | None) -> Seen | None:
    if texts is None or row.status is None or row.status == THROTTLED:
        return was
    if 200 <= row.status < 300:
        return Seen(row.status, True, shortened(row.title), texts.canonical, texts.robots)
    return Seen(row.status) if was is None else msgspec.structs.replace(was, status=row.status)
