"""Websites and their scores."""

from dataclasses import dataclass
from typing import Final, Literal

from chalicelib.api import summaries
from chalicelib.api.shapes.values import instant_or_none, site_link
from chalicelib.api.shapes.websites import (
    CmsAccess,
    Connection,
    Performance,
    Portfolio,
    ScoreHistory,
    SiteFieldData,
    TestBudget,
    WebsiteList,
    WebsiteName,
    WebsiteSummary,
)
from chalicelib.domain import plans
from chalicelib.domain.connections import WRITER_KINDS, Connections, Writer, WriterKind
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.parameters import NoParameters, integer
from chalicelib.store import website_names, websites
from chalicelib.store.api_keys import Auth
from chalicelib.store.website_names import NameRow

group = Group("sites", "Websites, scores, score history and speed.")

SEARCH_SCOPE: Final = "search:read"
DAY_SECONDS: Final = 86_400.0


def _readable(auth: Auth) -> list[NameRow]:
    """The websites that the key covers, by name."""
    rows = website_names.list_all(auth.workspace_id)
    return rows if auth.site_ids is None else [row for row in rows if row.id in auth.site_ids]


@group.get("/sites", scope="sites:read", answer=WebsiteList, summary="List the websites that this key can read")
def list_sites(call: Call[NoParameters]) -> WebsiteList:
    """All websites of the workspace, or those that the key covers, sorted by name."""
    rows = _readable(call.auth)
    return WebsiteList(
        total=len(rows),
        websites=[
            WebsiteName(
                id=row.id,
                name=row.name,
                host=row.host,
                url=row.url,
                platform=summaries.platform(row.platform),
                status=summaries.status(row.status),
                link=site_link(row.id),
            )
            for row in rows
        ],
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
    found = websites.get_many(call.auth.workspace_id, wanted)
    with_search = SEARCH_SCOPE in call.auth.scopes
    return Portfolio(
        total=len(rows),
        page=page,
        per=per,
        has_more=page * per < len(rows),
        websites=[summaries.of(found[site_id], call.now, with_search) for site_id in wanted if site_id in found],
        search_period=None,
    )


@group.get("/sites/{siteId}", scope="sites:read", answer=WebsiteSummary, summary="Read one website")
def read_site(call: Call[NoParameters]) -> WebsiteSummary:
    """Scores with stale inputs, last audit, open issues, waiting actions, CMS access and the connections' freshness."""
    summary = call.website.summary
    listed = summaries.of(call.website, call.now, SEARCH_SCOPE in call.auth.scopes)
    return WebsiteSummary(
        **{name: getattr(listed, name) for name in listed.__struct_fields__},
        stale_inputs=[] if summary is None else summary.stale_inputs,
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
    others: tuple[Literal["search", "analytics"], ...] = ("search", "analytics")
    return [
        *(_connection(kind, found.of(kind), now) for kind in WRITER_KINDS),
        *(_not_connected(kind) for kind in others),
    ]


def _connection(kind: WriterKind, writer: Writer | None, now: float) -> Connection:
    if writer is None:
        return _not_connected(kind)
    imported = writer.imported_at
    return Connection(
        kind=kind,
        connected=True,
        last_import_at=instant_or_none(imported),
        rows_last_import=writer.imported_items,
        stale_days=None if imported is None else max(0, int((now - imported) // DAY_SECONDS)),
        error=writer.trouble,
    )


def _not_connected(kind: Literal["cms", "shop", "search", "analytics"]) -> Connection:
    return Connection(
        kind=kind, connected=False, last_import_at=None, rows_last_import=None, stale_days=None, error=None
    )


@group.get("/sites/{siteId}/scores", scope="sites:read", answer=ScoreHistory, summary="Read the score history")
def read_scores(call: Call[NoParameters]) -> ScoreHistory:
    """The current score with what each rule costs, and the last score of each of 13 weeks.

    A week without an audit is left out, never filled in. Where `version` changes from one entry to the next the history
    breaks: the scores before and after were computed in different ways.
    """
    summary = call.website.summary
    if summary is None:
        return ScoreHistory(current=None, history=[])
    return ScoreHistory(
        current=summaries.explained_score(call.website.id, summary), history=summaries.history(summary, call.now)
    )


@group.get(
    "/sites/{siteId}/performance",
    scope="sites:read",
    answer=Performance,
    summary="Read speed test results",
    with_workspace=True,
)
def read_performance(call: Call[NoParameters]) -> Performance:
    """Laboratory results next to real-visitor data. Empty until a speed test of the website has been stored."""
    per_day = plans.plan(call.workspace.plan).speed_tests_per_day
    return Performance(
        site=SiteFieldData(phone=None, desktop=None),
        pages=[],
        budget=TestBudget(per_day=per_day, used_today=0, left=per_day, next_free_at=None),
        note="No speed test of this website has been stored yet.",
        link=site_link(call.website.id, "performance"),
    )
