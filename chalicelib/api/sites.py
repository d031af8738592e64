"""Websites and their scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal

from chalicelib.api import portfolio, speeds, summaries
from chalicelib.api.addresses import page_url
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.performance import Performance
from chalicelib.api.shapes.values import instant_or_none, site_link
from chalicelib.api.shapes.websites import (
    CmsAccess,
    Connection,
    ImportProgress,
    Portfolio,
    ScoreHistory,
    ScoreOfCrawl,
    Website,
    WebsiteList,
    WebsiteName,
    WebsiteSummary,
)
from chalicelib.domain.audit.freshness import analytics_end, stale_inputs
from chalicelib.domain.audit.kept import CrawlScore
from chalicelib.domain.connections import (
    SOURCE_KINDS,
    WRITER_KINDS,
    Connections,
    Source,
    SourceKind,
    Writer,
    WriterKind,
)
from chalicelib.http import cursors
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError
from chalicelib.http.parameters import Check, NoParameters, choice, integer, text
from chalicelib.http.parts import listed
from chalicelib.store import kept_audits, speed, website_names, websites
from chalicelib.store.api_keys import Auth
from chalicelib.store.website_names import NameRow

group = Group("sites", "Websites, scores, score history and speed.")

SEARCH_SCOPE: Final = "search:read"
DAY_SECONDS: Final = 86_400.0


def _readable(auth: Auth) -> list[NameRow]:
    """Return the websites that the key covers, by name."""
    rows = website_names.list_all(auth.workspace_id)
    return rows if auth.site_ids is None else [row for row in rows if row.id in auth.site_ids]


@dataclass(frozen=True, slots=True)
class ListParameters:
    offset: int = integer("First item to list.", default=0, minimum=0)


@group.get(
    "/sites",
    scope="sites:read",
    parameters=ListParameters,
    answer=WebsiteList,
    summary="List the websites that this key can read",
    parts=(listed("websites"),),
)
def list_sites(call: Call[ListParameters]) -> WebsiteList:
    """All websites that the key covers, sorted by name."""
    rows, offset = _readable(call.auth), call.parameters.offset
    return WebsiteList(
        total=len(rows),
        offset=offset,
        next_offset=None,
        truncated=False,
        websites=[shaped(WebsiteName, row, link=site_link(row.id)) for row in rows[offset:]],
    )


@dataclass(frozen=True, slots=True)
class PortfolioParameters:
    q: str | None = text("Part of the name or of the address; letter case does not matter.", maximum=500)
    state: str | None = choice(
        "`active` or `paused`; `running`: an audit is running; `unaudited`: no audit has finished.", portfolio.STATES
    )
    sort: str = choice(
        "Sort order. A leading `-` reverses it. `change`: change of the score since last week. Websites without a "
        "value come last. `clicks` and `impressions` need the scope `search:read`.",
        portfolio.SORTS,
        default=portfolio.NAME,
    )
    page: int = integer("Which page of the portfolio.", default=1, minimum=1)
    per: int = integer("Websites in an answer.", default=50, minimum=1, maximum=200)
    cursor: str | None = text("The `nextCursor` of the previous answer, instead of `page`.", maximum=cursors.LONGEST)

    CHECKS: ClassVar = (
        Check(
            "bad_cursor",
            lambda sent: sent.cursor is None or sent.page == 1,
            "{page} says where the list begins, as `cursor` does; send one of them.",
            "cursor",
        ),
    )


@group.get(
    "/portfolio",
    scope="sites:read",
    parameters=PortfolioParameters,
    answer=Portfolio,
    summary="Read every website with its scores in one call",
)
def read_portfolio(call: Call[PortfolioParameters]) -> Portfolio:
    """The websites that the key covers, with their scores now and over 13 weeks, issues and last audit.

    Only keys with the scope `search:read` get `search`. With `cursor`, a page begins after the last website of the
    previous page, even if figures changed.
    """
    sent = call.parameters
    with_search = SEARCH_SCOPE in call.auth.scopes
    if sent.sort.removeprefix("-") in portfolio.OF_SEARCH and not with_search:
        raise ApiError("missing_scope", f"`sort={sent.sort}` needs the scope {SEARCH_SCOPE}.", scope=SEARCH_SCOPE)
    rows = portfolio.named(_readable(call.auth), sent.q, sent.state)
    binding = [call.auth.workspace_id, "portfolio", sent.sort, sent.q or "", sent.state or "", str(sent.per)]
    last = None if sent.cursor is None else portfolio.Position(*cursors.read(sent.cursor, binding))

    def records(of: Sequence[NameRow]) -> list[Website]:
        found = websites.list_many(call.auth.workspace_id, [row.id for row in of])
        return [summaries.of(found[row.id], call.now, with_search) for row in of if row.id in found]

    start = (sent.page - 1) * sent.per
    if portfolio.needs_records(sent.sort, sent.state):
        listed = portfolio.by_value(portfolio.in_state(records(rows), sent.state), sent.sort)
        if last is not None:
            start = portfolio.after([portfolio.position(one, sent.sort) for one in listed], last, sent.sort)
        shown, total = listed[start:][: sent.per], len(listed)
    else:
        rows = portfolio.by_name(rows, sent.sort)
        if last is not None:
            start = portfolio.after([portfolio.Position(None, row.name, row.id) for row in rows], last, sent.sort)
        shown, total = records(rows[start:][: sent.per]), len(rows)
    more = start + sent.per < total
    return Portfolio(
        total=total,
        page=start // sent.per + 1,
        per=sent.per,
        has_more=more,
        next_cursor=cursors.make(portfolio.position(shown[-1], sent.sort), binding) if more and shown else None,
        weeks=summaries.weeks(call.now),
        websites=shown,
        search_period=summaries.search_period(shown),
    )


@group.get("/sites/{siteId}", scope="sites:read", answer=WebsiteSummary, summary="Read one website")
def read_site(call: Call[NoParameters]) -> WebsiteSummary:
    """Scores, whether their data is old, last audit, open issues, waiting actions, CMS access, age of each connection's
    data.
    """
    listed = summaries.of(call.website, call.now, SEARCH_SCOPE in call.auth.scopes)
    known, measured = call.website.search, call.website.connections.analytics
    newest = {
        "analytics": None if measured is None else analytics_end(measured.imported_at),
        "search": None if known is None else known.ends_at,
        "speed": speed.load_state(call.website.id).tested_at,
    }
    return shaped(
        WebsiteSummary,
        listed,
        stale_inputs=stale_inputs(newest, call.now),
        cms=_cms_access(call.website.connections.writer),
        connections=_connections(call.website.connections, call.now),
    )


def _cms_access(writer: Writer | None) -> CmsAccess:
    if writer is None:
        return CmsAccess(connected=False, writable=False, kind=None, seo_plugin=None, writable_fields=[])
    return CmsAccess(
        connected=True,
        writable=writer.writable,
        kind=writer.status.platform,
        seo_plugin=writer.status.seo_plugin,
        writable_fields=list(writer.status.fields),
    )


def _connections(found: Connections, now: float) -> list[Connection]:
    return [
        *(_connection(kind, found.of(kind), now) for kind in WRITER_KINDS),
        *(_source(kind, found.source(kind), now) for kind in SOURCE_KINDS),
    ]


def _connection(kind: WriterKind, writer: Writer | None, now: float) -> Connection:
    if writer is None:
        return _not_connected(kind)
    return Connection(
        kind=kind,
        connected=True,
        last_import_at=instant_or_none(writer.imported_at),
        rows_last_import=writer.imported_items,
        stale_days=_days_since(writer.imported_at, now),
        error=writer.trouble,
    )


def _source(kind: SourceKind, source: Source | None, now: float) -> Connection:
    if source is None:
        return _not_connected(kind)
    under_way = source.progress
    return Connection(
        kind=kind,
        connected=True,
        last_import_at=instant_or_none(source.imported_at),
        rows_last_import=source.imported_rows,
        stale_days=_days_since(source.imported_at, now),
        error=source.trouble,
        importing=None if under_way is None else ImportProgress(days_done=under_way.days, days=under_way.of),
    )


def _days_since(imported: float | None, now: float) -> int | None:
    return None if imported is None else max(0, int((now - imported) // DAY_SECONDS))


def _not_connected(kind: Literal["cms", "shop", "search", "analytics"]) -> Connection:
    return Connection(
        kind=kind, connected=False, last_import_at=None, rows_last_import=None, stale_days=None, error=None
    )


@dataclass(frozen=True, slots=True)
class ScoresParameters:
    detail: str | None = choice("`audits` adds the score that each audit, recheck and alert ended with.", ("audits",))


@group.get(
    "/sites/{siteId}/scores",
    scope="sites:read",
    parameters=ScoresParameters,
    answer=ScoreHistory,
    summary="Read the score history",
)
def read_scores(call: Call[ScoresParameters]) -> ScoreHistory:
    """The current score, the points that each rule costs, and the last score of each of 13 weeks.

    A week without a score is left out. Scores of rechecks count too. Scores with different `version` were computed in
    different ways and cannot be compared.
    """
    summary = call.website.summary
    answer = ScoreHistory(current=None, history=[])
    if summary is not None:
        answer.current = summaries.explained_score(call.website.id, summary)
        answer.history = summaries.history(summary, call.now)
    if call.parameters.detail == "audits":
        answer.audits = [_scored(one) for one in kept_audits.scores(call.website.id)]
    return answer


def _scored(one: CrawlScore) -> ScoreOfCrawl:
    return shaped(ScoreOfCrawl, summaries.past(one.score), crawl_id=one.crawl_id, kind=one.kind)


@dataclass(frozen=True, slots=True)
class PerformanceParameters:
    offset: int = integer("First item to list.", default=0, minimum=0)
    limit: int | None = integer("The most pages to list.", default=None, minimum=1, maximum=2_000)
    url: str | None = text("Only the page at this address.", minimum=1)


@group.get(
    "/sites/{siteId}/performance",
    scope="sites:read",
    parameters=PerformanceParameters,
    answer=Performance,
    summary="Read speed test results",
    with_workspace=True,
    parts=(listed("pages"),),
)
def read_performance(call: Call[PerformanceParameters]) -> Performance:
    """Lab results and measurements of real visitors, for every page that was tested.

    `field` of a page is null if the provider has too few visits to the page and to the website. `findingsUse` says
    whether findings use lab or visitors' values.
    """
    sent, site_id = call.parameters, call.website.id
    url = None if sent.url is None else page_url(sent.url)
    known = speed.load(site_id) if url is None else speed.load_page(site_id, url)
    return speeds.performance(call, known, url, sent.offset, sent.limit)
