"""Search performance: totals of the latest days, and rows for any days."""

import re
from collections.abc import Sequence
from dataclasses import MISSING, dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast, get_args

from chalicelib.api import files, search_notes, summaries
from chalicelib.api.shaped import shaped_or_none
from chalicelib.api.shapes import search as shapes
from chalicelib.api.shapes.values import site_link
from chalicelib.domain.search import pairs
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.manifest import Manifest
from chalicelib.domain.search.periods import MOST_MONTHS, Period, longer_than
from chalicelib.domain.search.questions import Device, Dimension, Question, SearchType
from chalicelib.domain.search.rows import Row
from chalicelib.http import answers, cursors
from chalicelib.http.answers import Answer, Tagged
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError
from chalicelib.http.parameters import Check, choice, day, integer, parsed, text
from chalicelib.http.parts import with_cursor
from chalicelib.store.websites import Website

if TYPE_CHECKING:  # the code that computes rows is loaded on demand
    from chalicelib.operations import search

group = Group("search", "Clicks, impressions and positions, as the search engine reports them.")

DAYS: Final = (7, 28, 90)
COUNTRY_PATTERN: Final = "^[A-Za-z]{3}$"
_COUNTRY: Final = re.compile(COUNTRY_PATTERN)
# The version of the answers' format in their ETags. Change it with the format.
_FORM: Final = "1"


def _days(raw: str) -> int:
    if raw not in map(str, DAYS):
        raise ValueError("7, 28 or 90")
    return int(raw)


def _country(raw: str) -> str:
    if not raw.isascii() or not _COUNTRY.fullmatch(raw):
        raise ValueError("the three letters of a country (ISO 3166-1 alpha-3)")
    return raw.lower()


@dataclass(frozen=True, slots=True)
class SummaryParameters:
    days: int = parsed("How many days.", {"type": "integer", "enum": list(DAYS)}, _days, default=28)


@dataclass(frozen=True, slots=True)
class RowsParameters:
    first: date = day("The first day.", default=MISSING, name="from", code="bad_period")
    last: date = day(
        f"The last day; at most {MOST_MONTHS} months after the first.", default=MISSING, name="to", code="bad_period"
    )
    dimension: Dimension = choice("What each row stands for.", get_args(Dimension), default="query")
    country: str | None = parsed(
        "Three letters of a country (ISO 3166-1 alpha-3). Only with `dimension=date`, without `page`.",
        {"type": "string", "pattern": COUNTRY_PATTERN},
        _country,
    )
    device: Device | None = choice("The kind of device. Only with `dimension=date`, without `page`.", get_args(Device))
    search_type: SearchType = choice(
        "Web or image search. For images, only daily totals are stored.", get_args(SearchType), default="web"
    )
    page: str | None = text(
        "A whole address selects that page. Any other text selects pages whose address contains it.", minimum=1
    )
    limit: int = integer("Rows in a JSON answer. A file has all rows.", default=1_000, minimum=1, maximum=10_000)
    cursor: str | None = text("The `nextCursor` of the previous answer.", maximum=cursors.LONGEST)
    format: str = files.file_format()

    CHECKS: ClassVar = (
        Check("bad_period", lambda sent: sent.first <= sent.last, "{to} must not lie before {from}.", "to"),
        Check(
            "period_too_long",
            lambda sent: not longer_than(Period(sent.first, sent.last), MOST_MONTHS),
            f"{{to}} must lie at most {MOST_MONTHS} months after {{from}}.",
        ),
        Check(
            "not_stored",
            lambda sent: sent.dimension == "date" or not (sent.country or sent.device),
            "`country` and `device` are only for days: send `dimension=date` with them.",
        ),
        Check(
            "not_stored",
            lambda sent: not (sent.country and sent.device),
            "`country` and `device` cannot be combined: send one of them.",
        ),
        Check(
            "not_stored",
            lambda sent: sent.page is None or not (sent.country or sent.device),
            "Countries and devices are not stored for pages: send `page` without them.",
        ),
        Check(
            "not_stored",
            lambda sent: sent.page is None or sent.dimension != "query",
            "The queries of a page are stored only in pairs of query and page: send `dimension=query_page` with "
            "`page`.",
        ),
        Check(
            "not_stored",
            lambda sent: sent.search_type == "web" or (sent.dimension == "date" and sent.page is None),
            "For image search, only daily totals are stored: send `dimension=date` without `page`.",
        ),
    )

    @property
    def question(self) -> Question:
        return Question(
            self.dimension, Period(self.first, self.last), self.search_type, self.country, self.device, self.page
        )


@group.get(
    "/sites/{siteId}/search/summary",
    scope="search:read",
    parameters=SummaryParameters,
    answer=shapes.SearchSummary,
    errors=("search_not_connected",),
    summary="Read the latest search performance",
)
def read_search_summary(call: Call[SummaryParameters]) -> Answer | Tagged:
    """Totals of web search in the latest days and in as many days before, with the queries and pages that had most
    clicks.

    The last day is three days ago or, if earlier, `finalThrough`: later figures are not final. `previous` is null if a
    day of `previousPeriod` is not known.
    """
    from chalicelib.operations import search

    _connected(call.website)
    today = datetime.fromtimestamp(call.now, UTC).date()

    def ask(manifests: "search.Manifests") -> Answer | Tagged:
        versions = [f"{dataset}={manifest.version}" for dataset, manifest in sorted(manifests.items())]
        tag = answers.tag_of(" ".join((_FORM, call.website.id, str(today), str(call.parameters.days), *versions)))
        if answers.names(call.known_tags, tag):
            return Answer(304, "", {"ETag": tag})
        found = search.latest(call.website.id, manifests, call.parameters.days, today)
        return Tagged(_summary(call.website, found, manifests.get("totals")), tag)

    return search.asking(call.website.id, ("totals", "query", "page"), ask)


@group.get(
    "/sites/{siteId}/search/rows",
    scope="search:read",
    parameters=RowsParameters,
    answer=shapes.SearchRows,
    files=(files.CSV,),
    errors=("search_not_connected",),
    summary="Read rows of search performance",
    parts=(with_cursor("rows"),),
)
def read_search_rows(call: Call[RowsParameters]) -> Answer | Tagged:
    """One row for each query, page, pair of query and page, or day. `ctr` and `position` are computed from the sums of
    all days.

    Rows are ordered by clicks, most first, and then by query or page. Rows of days are ordered by date. Send
    `nextCursor` as `cursor` until it is null, with all other parameters unchanged. An answer that
    would pass 5 MB ends early. If newer data are imported meanwhile, the cursor is refused with `bad_cursor`: begin
    again.

    With `dimension=query_page`, rows are the 5,000 pairs with most clicks in the 28 days of `window`. Figures cover the
    requested days in `window`.

    `format=csv` gives all rows from the cursor on as a file; `limit` is ignored.
    """
    from chalicelib.operations import search

    _connected(call.website)
    dataset = call.parameters.question.dataset
    return search.asking(call.website.id, (dataset,), lambda manifests: _rows(call, manifests.get(dataset)))


def _connected(website: Website) -> None:
    if website.connections.search is None:
        raise ApiError("search_not_connected", "The website is connected to no search data.")


def _rows(call: Call[RowsParameters], manifest: Manifest | None) -> Answer | Tagged:
    from chalicelib.operations import search

    sent, question = call.parameters, call.parameters.question
    # A cursor is valid only with these values. The limit is not among them, since files have none; the cursor contains
    # it.
    binding = [call.website.id, "search/rows", manifest.version if manifest else "", *question.parts]
    start = 0 if sent.cursor is None else _start(sent, binding)
    tag = answers.tag_of(" ".join((_FORM, *binding, str(start), sent.format, str(sent.limit))))
    if answers.names(call.known_tags, tag):
        return Answer(304, "", {"ETag": tag})
    count = None if sent.format == "csv" else sent.limit
    rows, total = search.part(call.website.id, manifest, question, start, count)
    if sent.format == "csv":
        return _file(question, rows, tag)
    call.cursor_after = lambda count: cursors.make([start + count, sent.limit], binding)
    listed = [_listed(question.dimension, row) for row in rows]
    return Tagged(_answer(call, manifest, listed, more=start + len(listed) < total), tag)


def _answer(
    call: Call[RowsParameters], manifest: Manifest | None, listed: list[shapes.SearchRow], *, more: bool
) -> shapes.SearchRows:
    sent, question = call.parameters, call.parameters.question
    window = manifest.period if manifest is not None and question.dimension == "query_page" else None
    assert call.cursor_after is not None
    return shapes.SearchRows(
        period=summaries.days(question.period),
        dimension=question.dimension,
        search_type=question.search_type,
        filters=shapes.SearchFilters(country=sent.country, device=question.device, page=question.page),
        window=None if window is None else summaries.days(window),
        rows=listed,
        next_cursor=call.cursor_after(len(listed)) if more else None,
        note=search_notes.of_rows(question, manifest),
    )


def _start(sent: RowsParameters, binding: Sequence[str]) -> int:
    start, limit = cursors.read(cast(str, sent.cursor), binding)
    if sent.format == "json" and limit != sent.limit:
        raise cursors.refused()
    return int(start)


def _file(question: Question, rows: Sequence[Row], tag: str) -> Answer:
    names = (*_columns(question.dimension), "clicks", "impressions", "ctr", "position")
    name = f"search-{question.dimension}-{question.period.first}-{question.period.last}.csv"
    return files.of_cells("search", name, names, (_cells(question.dimension, row) for row in rows), tag)


def _listed(dimension: Dimension, row: Row) -> shapes.SearchRow:
    *keys, clicks, impressions, ctr, position = _cells(dimension, row)
    names = dict(zip(_columns(dimension), keys, strict=True))
    return shapes.SearchRow(**names, clicks=clicks, impressions=impressions, ctr=ctr, position=position)


def _columns(dimension: Dimension) -> tuple[str, ...]:
    """Return the members of a row that identify it."""
    return ("query", "page") if dimension == "query_page" else (dimension,)


def _cells(dimension: Dimension, row: Row) -> tuple[Any, ...]:
    """Return the cells of a row in a file."""
    keys = pairs.parts(row.key) if dimension == "query_page" else (row.key,)
    figures = Figures(row.clicks, row.impressions, row.positions)
    return (*keys, row.clicks, row.impressions, figures.ctr, figures.position)


def _summary(website: Website, found: "search.Totals | None", manifest: Manifest | None) -> shapes.SearchSummary:
    period = None if found is None else found.period
    final = manifest.final_day if manifest is not None else None
    figures, previous = (found.figures, found.previous) if found is not None else (None, None)
    return shapes.SearchSummary(
        period=None if period is None else summaries.days(period),
        previous_period=None if period is None else summaries.days(period.before),
        totals=_figures(figures),
        previous=_figures(previous),
        change=_change(figures, previous),
        top_pages=[_listed("page", row) for row in found.pages] if found is not None else [],
        top_queries=[_listed("query", row) for row in found.queries] if found is not None else [],
        days=[_of_day(one, figures) for one, figures in found.days.items()] if found is not None else [],
        final_through=None if final is None else final.isoformat(),
        note=search_notes.of_summary(period, manifest),
        link=site_link(website.id, "search"),
    )


def _of_day(one: date, figures: Figures) -> shapes.SearchRow:
    return _listed("date", Row(one.isoformat(), figures.clicks, figures.impressions, figures.positions))


def _figures(figures: Figures | None) -> shapes.SearchFigures | None:
    return shaped_or_none(shapes.SearchFigures, figures)


def _change(now: Figures | None, before: Figures | None) -> shapes.SearchChange | None:
    if now is None or before is None:
        return None
    return shapes.SearchChange(
        clicks=now.clicks - before.clicks,
        impressions=now.impressions - before.impressions,
        ctr=_difference(now.ctr, before.ctr),
        position=_difference(now.position, before.position),
    )


def _difference(now: float | None, before: float | None) -> float | None:
    return None if now is None or before is None else now - before
