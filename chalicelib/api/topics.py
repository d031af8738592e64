"""Topics: what a website is found for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import ClassVar, Final

from chalicelib.api import files, search_notes
from chalicelib.api.paging import following
from chalicelib.api.periods import PERIOD_CHECKS, asked_for, refuse_future
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes import topics as shapes
from chalicelib.api.shapes.values import instant, site_link
from chalicelib.api.summaries import days as span
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.strength import DAYS
from chalicelib.domain.search.topic_lists import MOST_UNCOVERED, SORTS, Listed, Lists, lists
from chalicelib.domain.search.topics import MOST_GROUPED, TopicPage, TopicQuery
from chalicelib.http import answers
from chalicelib.http.answers import Answer, Tagged
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError
from chalicelib.http.parameters import choice, day, integer
from chalicelib.http.parts import listed, shortened
from chalicelib.operations import search, topics
from chalicelib.operations.search import Manifests
from chalicelib.store.kept_topics import Kept

group = Group("topics", "Pages grouped by address folder and search words.")

NOTE: Final = (
    "Topics are made from the folders of addresses and the words of queries. For every period, the queries come from "
    "the pairs of query and page with most clicks in `queriesWindow`."
)
_FORM: Final = "1"  # the version of the answer's format in its ETag; change it with the format


@dataclass(frozen=True, slots=True)
class ListParameters:
    start: date | None = day(
        "The first day; needs `end`. Default: the last 28 days with final figures.", code="bad_period"
    )
    end: date | None = day(
        "The last day. If only `end` is given, the period is the 28 days up to it.", code="bad_period"
    )
    sort: str = choice("Sort order; `opportunity`: the highest `clicksShort` first.", SORTS, default="clicks")
    min_pages: int = integer(
        "The fewest pages that a topic may have.", default=2, minimum=1, maximum=50, name="minPages"
    )
    limit: int = integer("How many topics.", default=50, minimum=1, maximum=200)
    offset: int = integer("First item to list.", default=0, minimum=0)
    format: str = files.file_format()

    CHECKS: ClassVar = PERIOD_CHECKS


@group.get(
    "/sites/{siteId}/topics",
    scope="search:read",
    parameters=ListParameters,
    answer=shapes.TopicList,
    files=(files.CSV,),
    errors=("search_not_connected", files.TOO_LARGE),
    summary="List what a website is found for",
    parts=(
        listed(
            "topics",
            inner=(shortened("pages", "pages_truncated"), shortened("top_queries", "top_queries_truncated")),
        ),
        shortened("pages", "truncated", lambda answer: answer.ungrouped),
        shortened("pages", "truncated", lambda answer: answer.uncovered),
    ),
)
def list_topics(call: Call[ListParameters]) -> Answer | Tagged:
    """Groups of pages with their search figures. Pages are grouped by the folder of their address and the words of
    their queries.

    Addresses are compared without scheme, leading `www.` and last slash. The same data gives the same ids and names.
    Pages whose group has fewer than `minPages` pages are in `ungrouped` if search showed them. Content pages that
    search did not show are in `uncovered`.

    The topics of a period are cached for an hour; `sort`, `minPages` and `limit` are applied to the cached topics. A
    website's topics are computed at most twice a minute. Further requests get 429 `rate_limited` with `Retry-After`.
    """
    if call.website.connections.search is None:
        raise ApiError("search_not_connected", "The website is connected to no search data.")
    today = datetime.fromtimestamp(call.now, UTC).date()
    refuse_future(call, today)

    def ask(manifests: Manifests) -> Answer | Tagged:
        of_pages = manifests.get("page")
        period = asked_for(call.parameters, DAYS, today, None if of_pages is None else of_pages.final_day)
        kept = topics.kept(call.website, period)
        found = kept or topics.worked_out(call.website, period, manifests)
        note = " ".join([NOTE, *search_notes.missing(period, of_pages)])
        return _answer(call, period, found, note, cached=kept is not None)

    try:
        return search.asking(call.website.id, topics.DATASETS, ask)
    except topics.TooOften as refused:
        raise ApiError(
            "rate_limited",
            "The website's topics were computed twice in this minute. Stored topics can be read at any time.",
            headers={"Retry-After": str(refused.seconds)},
        ) from None


def _answer(call: Call[ListParameters], period: Period, kept: Kept, note: str, *, cached: bool) -> Answer | Tagged:
    sent = call.parameters
    found = lists(kept.topics, period.length, sort=sent.sort, min_pages=sent.min_pages)
    shown = found.topics[sent.offset :][: None if sent.format == "csv" else sent.limit]
    if sent.format == "csv":
        return files.of_shapes("topics", call.website.host, shapes.Topic, map(_topic, shown))
    result = shapes.TopicList(
        period=span(period),
        queries_window=None if kept.window is None else span(kept.window),
        sort=sent.sort,  # type: ignore[arg-type]  # as the parameter accepts
        min_pages=sent.min_pages,
        search_data=shapes.TopicsSearchData(
            final_through=None if kept.final_through is None else kept.final_through.isoformat(),
            pages=kept.topics.searched,
        ),
        pages_capped=kept.topics.capped,
        total_topics=len(found.topics),
        offset=sent.offset,
        next_offset=following(sent.offset, len(shown), len(found.topics)),
        truncated=False,
        topics=[_topic(one) for one in shown],
        ungrouped=_ungrouped(found),
        uncovered=_uncovered(found),
        cached=cached,
        computed_at=instant(kept.computed_at),
        note=f"{note} Only the {MOST_GROUPED:,} pages with most impressions were grouped."
        if kept.topics.capped
        else note,
        link=site_link(call.website.id, "topics"),
    )
    # The answer does not depend on whether it was cached.
    of = [call.website.id, str(kept.computed_at), *(str(day) for day in period), note]
    tag = answers.tag_of(" ".join([_FORM, *of, sent.sort, *map(str, (sent.min_pages, sent.limit, sent.offset))]))
    return Tagged(result, tag)


def _topic(one: Listed) -> shapes.Topic:
    topic, strength = one
    figures = Figures(topic.clicks, topic.impressions, topic.positions)
    return shaped(
        shapes.Topic,
        topic,
        pages_without_search_data=topic.pages_without_data,
        pages=_pages(topic.pages),
        pages_truncated=topic.page_count > len(topic.pages),
        ctr=figures.ctr,
        position=figures.position,
        clicks_per28_days=strength.clicks_per_28_days,
        strength=strength.name,
        clicks_short=strength.clicks_short,
        top_queries=[_query(query) for query in topic.queries],
    )


def _query(query: TopicQuery) -> shapes.TopicQuery:
    figures = Figures(query.clicks, query.impressions, query.positions)
    return shapes.TopicQuery(query.query, query.clicks, query.impressions, figures.ctr, figures.position)


def _pages(pages: Sequence[TopicPage]) -> list[shapes.TopicPage]:
    return [
        shapes.TopicPage(
            page.url, page.clicks, page.impressions, Figures(page.clicks, page.impressions, page.positions).position
        )
        for page in pages
    ]


def _ungrouped(found: Lists) -> shapes.Ungrouped:
    rest = found.ungrouped
    return shaped(shapes.Ungrouped, rest, pages=_pages(rest.pages), truncated=rest.page_count > len(rest.pages))


def _uncovered(found: Lists) -> shapes.Uncovered:
    rest = found.uncovered
    return shapes.Uncovered(
        page_count=rest.page_count,
        pages=[shapes.UncoveredPage(url=url, section=section) for url, section in rest.pages],
        truncated=rest.page_count > MOST_UNCOVERED,
    )
