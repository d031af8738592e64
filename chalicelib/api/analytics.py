"""Analytics: landing pages of a website and their results."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar, Final, Literal, get_args
from urllib.parse import urlsplit

from msgspec import UNSET

from chalicelib.api import analytics_notes, files
from chalicelib.api.paging import following
from chalicelib.api.periods import PERIOD_CHECKS, asked_for, refuse_future
from chalicelib.api.shapes import analytics as shapes
from chalicelib.api.shapes.values import instant, site_link
from chalicelib.api.summaries import days as span
from chalicelib.domain.analytics.landing_pages import NO_PAGE, SORTS, LandingPages, ordered
from chalicelib.domain.analytics.report import PURCHASES_METRIC, Channel
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period
from chalicelib.http import cursors
from chalicelib.http.answers import Answer
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError
from chalicelib.http.parameters import Check, choice, day, integer, text
from chalicelib.http.parts import shortened, with_cursor
from chalicelib.operations.errors import Refused
from chalicelib.store.kept_landing_pages import Kept
from chalicelib.store.websites import Website

group = Group("analytics", "Conversions and revenue of landing pages, from the website's analytics property.")

Order = Literal["asc", "desc"]
_MONEY: Final = 2  # decimals
DAYS: Final = 28
NEWEST_SEARCH: Final = timedelta(7)  # search data that ends earlier does not shift the requested days


@dataclass(frozen=True, slots=True)
class PagesParameters:
    start: date | None = day(
        "The first day. Default: 28 days up to `end`. Without `end`: up to the newest search data or three days ago.",
        code="bad_period",
        also="from",
    )
    end: date | None = day("The last day, with or without `start`.", code="bad_period", also="to")
    channel: Channel = choice("Visits from organic search, or all visits.", get_args(Channel), default="organic")
    sort: str = choice(
        "Sort order. A leading `-` sorts from high to low, whatever `order` says. Rows without a value come last.",
        [name for sort in SORTS for name in (sort, f"-{sort}")],
        default="sessions",
    )
    order: Order | None = choice("Default: `desc`; for `position`: `asc`.", get_args(Order))
    limit: int = integer("Rows in an answer.", default=100, minimum=1, maximum=1_000)
    offset: int | None = integer("First row to list. Default: 0.", default=None, minimum=0)
    cursor: str | None = text("The `nextCursor` of the previous answer, instead of `offset`.", maximum=cursors.LONGEST)
    format: str = files.file_format()

    CHECKS: ClassVar = (
        *PERIOD_CHECKS,
        Check(
            "bad_offset",
            lambda sent: sent.cursor is None or sent.offset is None,
            "`cursor` says where the rows begin: send it without {offset}.",
            "offset",
        ),
    )

    @property
    def by(self) -> str:
        return self.sort.removeprefix("-")

    @property
    def direction(self) -> Order:
        if self.sort.startswith("-"):
            return "desc"
        return self.order or ("asc" if self.by == "position" else "desc")


@group.get(
    "/sites/{siteId}/analytics/pages",
    scope="analytics:read",
    parameters=PagesParameters,
    answer=shapes.LandingPageList,
    files=(files.CSV,),
    stored=False,
    errors=(
        *("analytics_not_connected", "analytics_no_access", "analytics_quota", "analytics_unavailable"),
        files.TOO_LARGE,
    ),
    summary="Read conversions and revenue per landing page",
    parts=(
        with_cursor("rows", inner=(shortened("key_events_by_name", "key_events_truncated"),)),
        shortened("outcome_events", "outcome_events_truncated"),
    ),
)
def read_landing_pages(call: Call[PagesParameters]) -> shapes.LandingPageList | Answer:
    """Landing pages from the website's analytics property, each with the search performance of the same path and days.

    The answer is cached for 15 minutes. Requests for the same days in another order, page or limit use the cache.
    Cursors expire with the cached answer: on `bad_cursor`, begin again. When the property's quota is used up, requests
    get 429 with `Retry-After`, for up to an hour.
    """
    # The analytics client is slow to import, so only requests that need it load it.
    from chalicelib.operations import analytics

    if call.website.connections.analytics is None:
        raise ApiError("analytics_not_connected", "The website is connected to no analytics property.")
    today = datetime.fromtimestamp(call.now, UTC).date()
    sent = call.parameters
    refuse_future(call, today)
    period = asked_for(sent, DAYS, today, _searched_until(call.website, today))
    try:
        kept, cached = analytics.landing_pages(call.website, period, sent.channel)
    except Refused as refused:
        headers = {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}
        raise ApiError(refused.code, refused.message, headers=headers) from None
    binding = [call.website.id, "analytics/pages", kept.version, sent.channel, *(str(day) for day in period)]
    binding += [sent.by, sent.direction]
    offset = _offset(sent, binding)
    order = ordered(kept.pages, sent.by, descending=sent.direction == "desc")
    bought = kept.pages.measures_purchases
    count = None if sent.format == "csv" else sent.limit
    found = (_row(call.website, kept.pages, number, bought) for number in order[offset:][:count])
    if sent.format == "csv":
        return files.of_shapes("landing-pages", call.website.host, shapes.LandingPage, found)
    rows = list(found)
    call.cursor_after = lambda count: cursors.make([offset + count, sent.limit], binding)
    return _answer(call, period, kept, rows, offset, cached=cached)


def _searched_until(website: Website, today: date) -> date | None:
    """Return the last day of search data if it is nearly current, so that both sides cover the same days."""
    known = None if website.connections.search is None else website.search
    final = None if known is None else known.final_day
    return final if final is not None and today - final <= NEWEST_SEARCH else None


def _offset(sent: PagesParameters, binding: Sequence[str]) -> int:
    if sent.cursor is None:
        return sent.offset or 0
    offset, limit = cursors.read(sent.cursor, binding)
    if sent.format == "json" and limit != sent.limit:
        raise cursors.refused()
    return int(offset)


def _answer(
    call: Call[PagesParameters],
    period: Period,
    kept: Kept,
    rows: list[shapes.LandingPage],
    offset: int,
    *,
    cached: bool,
) -> shapes.LandingPageList:
    sent, pages, told = call.parameters, kept.pages, kept.told
    source = call.website.connections.analytics
    assert source is not None
    next_offset = following(offset, len(rows), len(pages))
    assert call.cursor_after is not None
    final = told.final_through
    return shapes.LandingPageList(
        period=span(period),
        channel=sent.channel,
        property=source.name,
        currency=told.currency,
        purchases_metric=PURCHASES_METRIC if pages.measures_purchases else None,
        outcome_events=_outcomes(pages),
        totals=_totals(pages, joined=told.joined),
        sort=sent.sort,
        order=sent.direction,
        offset=offset,
        limit=sent.limit,
        total=len(pages),
        next_offset=next_offset,
        next_cursor=None if next_offset is None else call.cursor_after(len(rows)),
        rows=rows,
        search_data="joined" if told.joined else "unavailable",
        search_data_final_through=UNSET if final is None or period.last <= final else final.isoformat(),
        cached=cached,
        fetched_at=instant(told.fetched_at),
        note=analytics_notes.of(told, pages),
        link=site_link(call.website.id, "analytics"),
    )


def _row(website: Website, pages: LandingPages, number: int, bought: bool) -> shapes.LandingPage:
    page = pages.pages[number]
    return shapes.LandingPage(
        page=page,
        url=None if page in NO_PAGE else _address(website, page),
        key_events_by_name=[shapes.EventCount(name=name, count=count) for name, count in pages.events[number]],
        **_figures(pages, [number], bought),
    )


def _address(website: Website, page: str) -> str:
    """Return the page's address on the website, at the home page's origin."""
    home = urlsplit(website.home_url)
    return f"{home.scheme}://{home.netloc}{page if page.startswith('/') else f'/{page}'}"


def _totals(pages: LandingPages, *, joined: bool) -> shapes.LandingFigures:
    figures = _figures(pages, None, pages.measures_purchases)
    if joined and figures["clicks"] is None:  # no row, or no row about a page
        figures |= {"clicks": 0, "impressions": 0}
    return shapes.LandingFigures(**figures)


def _figures(pages: LandingPages, numbers: Sequence[int] | None, bought: bool) -> dict[str, Any]:
    """Return the totals of the rows ``numbers``, or of all rows if it is None. ``bought``: whether the property
    measures purchases."""

    def total(column: Sequence[Any]) -> Any:
        return sum(column if numbers is None else [column[number] for number in numbers])

    purchase_revenue = total(pages.purchase_revenue)
    sessions = total(pages.sessions)
    engaged = total(pages.engaged)
    revenue = total(pages.revenue)
    known = [
        number for number in (range(len(pages)) if numbers is None else numbers) if pages.clicks[number] is not None
    ]
    shown = Figures(
        sum(pages.clicks[number] or 0 for number in known),
        sum(pages.impressions[number] or 0 for number in known),
        sum(pages.positions[number] or 0 for number in known),
    )
    return {
        "sessions": sessions,
        "engaged_sessions": engaged,
        "engagement_rate": engaged / sessions if sessions else None,
        "key_events": total(pages.key_events),
        "conversion_rate": total(pages.converted) / sessions if sessions else None,
        "purchases": total(pages.purchases) if bought else None,
        "purchase_revenue": round(purchase_revenue, _MONEY) if bought else None,
        "revenue": round(revenue, _MONEY),
        "revenue_per_session": revenue / sessions if sessions else None,
        "clicks": shown.clicks if known else None,
        "impressions": shown.impressions if known else None,
        "ctr": shown.ctr if known else None,
        "position": shown.position if known else None,
    }


def _outcomes(pages: LandingPages) -> list[shapes.EventCount]:
    counts: Counter[str] = Counter()
    for events in pages.events:
        for name, count in events:
            counts[name] += count  # type: ignore[assignment]  # counts may be fractions
    found = sorted(counts.items(), key=lambda one: (-one[1], one[0]))
    return [shapes.EventCount(name=name, count=count) for name, count in found]
