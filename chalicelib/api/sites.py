"""Websites and their scores."""

from dataclasses import dataclass
from typing import Final, Literal

from chalicelib.api import speeds, summaries
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.performance import Performance
from chalicelib.api.shapes.values import instant_or_none, site_link
from chalicelib.api.shapes.websites import (
    CmsAccess,
    Connection,
    ImportProgress,
    Portfolio,
    ScoreHistory,
    WebsiteList,
    WebsiteName,
    WebsiteSummary,
)
from chalicelib.domain.audit.freshness import analytics_end, stale_inputs
from chalicelib.domain.connections import (
    SOURCE_KINDS,
    WRITER_KINDS,
    Connections,
    Source,
    SourceKind,
    Writer,
    WriterKind,
)
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.parameters import NoParameters, integer
from chalicelib.http.parts import listed
from chalicelib.store import speed, website_names, websites
from chalicelib.store.api_keys import Auth
from chalicelib.store.website_names import NameRow

group = Group("sites", "Websites, scores, score history and speed.")

SEARCH_SCOPE: Final = "search:read"
DAY_SECONDS: Final = 86_400.0


def _readable(auth: Auth) -> list[NameRow]:
    """The websites that the key covers, by name."""
    rows = website_names.list_all(auth.workspace_id)
    return rows if auth.site_ids is None else [row for row in rows if row.id in auth.site_ids]


@dataclass(frozen=True, slots=True)
class ListParameters:
    offset: int = integer("Where the list begins.", default=0, minimum=0)


@group.get(
    "/sites",
    scope="sites:read",
    parameters=ListParameters,
    answer=WebsiteList,
    summary="List the websites that this key can read",
    parts=(listed("websites"),),
)
def list_sites(call: Call[ListParameters]) -> WebsiteList:
    """All websites of the workspace, or those that the key covers, sorted by name."""
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
    page: int = integer("Which page of the portfolio.", default=1, minimum=1)
    per: int = integer("Websites on a page.", default=50, minimum=1, maximum=200)


@group.get(
    "/portfolio",
    scope="sites:read",
    parameters=PortfolioParameters,
    answer=Portfolio,
    summary="Read every website with its scores in one call",
)
def read_portfolio(call: Call[PortfolioParameters]) -> Portfolio:
    """The websites that the key covers, sorted by name, with scores, issues and the last audit.

    `search` stands in a website only for keys with the scope `search:read`.
    """
    rows = _readable(call.auth)
    page, per = call.parameters.page, call.parameters.per
    wanted = [row.id for row in rows[(page - 1) * per : page * per]]
    found = websites.list_many(call.auth.workspace_id, wanted)
    with_search = SEARCH_SCOPE in call.auth.scopes
    shown = [summaries.of(found[site_id], call.now, with_search) for site_id in wanted if site_id in found]
    return Portfolio(
        total=len(rows),
        page=page,
        per=per,
        has_more=page * per < len(rows),
        websites=shown,
        search_period=summaries.search_period(shown),
    )


@group.get("/sites/{siteId}", scope="sites:read", answer=WebsiteSummary, summary="Read one website")
def read_site(call: Call[NoParameters]) -> WebsiteSummary:
    """Scores with stale inputs, last audit, open issues, waiting actions, CMS access and the connections' freshness."""
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


@group.get("/sites/{siteId}/scores", scope="sites:read", answer=ScoreHistory, summary="Read the score history")
def read_scores(call: Call[NoParameters]) -> ScoreHistory:
    """The current score with what each rule costs, and the last score of each of 13 weeks.

    A week without a score is left out, never filled in; rechecks count as audits do. Where `version` changes from one
    entry to the next the history breaks: the scores before and after were computed in different ways.
    """
    summary = call.website.summary
    if summary is None:
        return ScoreHistory(current=None, history=[])
    return ScoreHistory(
        current=summaries.explained_score(call.website.id, summary), history=summaries.history(summary, call.now)
    )


@dataclass(frozen=True, slots=True)
class PerformanceParameters:
    offset: int = integer("Where the pages begin.", default=0, minimum=0)


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
    """Laboratory results next to real-visitor data, of every page that was tested.

    `field` of a page is null where the provider has too few visits of it and of the website. `findingsUse` says whose
    value findings go by.
    """
    return speeds.performance(call, speed.load(call.website.id), call.parameters.offset)
