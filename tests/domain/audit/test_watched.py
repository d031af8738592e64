"""Which pages are watched, and what counts as a change of them."""

import pytest

from chalicelib.domain.audit.kept import PageTexts, texts_of
from chalicelib.domain.audit.records import PageRow
from chalicelib.domain.audit.watched import (
    MOST_CLICKED,
    Access,
    CrawlerMove,
    PageMove,
    Seen,
    chosen,
    look_at_crawlers,
    look_at_pages,
)
from chalicelib.domain.page.facts import PageFacts
from chalicelib.domain.search.figures import Figures

HOME = "https://acme.example/"


def row(url: str, status: int | None = 200, title: str | None = "A title") -> PageRow:
    return PageRow(url, url, status, title, None, None, None, [], 0, None, facts_crawl="crawl_1")


def texts(canonical: str | None = HOME, robots: str | None = None) -> PageTexts:
    return PageTexts("Words", canonical, 100, robots)


SEEN = Seen(200, True, "A title", HOME, None)


def test_watched_pages_are_the_home_page_the_most_clicked_and_the_chosen_ones() -> None:
    rows = [row(HOME), *(row(f"{HOME}{number:02}") for number in range(40))]
    searched = {f"{HOME}{number:02}": Figures(clicks=number) for number in range(40)}
    found = [one.url for one in chosen(rows, HOME, searched, [f"{HOME}01", f"{HOME}39", f"{HOME}none"])]
    assert found == [HOME, *(f"{HOME}{number:02}" for number in range(39, 39 - MOST_CLICKED, -1)), f"{HOME}01"]
    assert [one.url for one in chosen(rows, HOME, None, ())] == [HOME]
    nothing = {f"{HOME}00": Figures(impressions=5)}
    assert [one.url for one in chosen(rows, HOME, nothing, ())] == [HOME], "a page without a click has not most"


@pytest.mark.parametrize(
    ("now", "said", "moves"),
    [
        (row(HOME), texts(), []),
        (row(HOME, title="Other"), texts(), [("title", "A title", "Other")]),
        (row(HOME, title=None), texts(), [("title", "A title", None)]),
        (row(HOME), texts(canonical=None), [("canonical", HOME, None)]),
        (row(HOME), texts(robots="noindex"), [("robots", None, "noindex")]),
        (row(HOME, status=404, title="Not found"), texts(None), [("status", 200, 404)]),
        (row(HOME, status=301, title=None), texts(None), [("status", 200, 301)]),
        (row(HOME, status=None, title=None), texts(None), []),
        (row(HOME, status=429, title="Slow down"), texts(None), []),
        (row(HOME, title="Other"), None, []),
    ],
)
def test_a_failed_request_does_not_count_as_a_change_of_the_page(
    now: PageRow, said: PageTexts | None, moves: list[tuple[str, object, object]]
) -> None:
    seen, found = look_at_pages({HOME: SEEN}, [now], {} if said is None else {HOME: said})
    assert found == [PageMove(HOME, *move) for move in moves]  # type: ignore[arg-type]
    assert seen[HOME].title is not None or ("title", "A title", None) in moves, "a failure forgets no title"


def test_after_an_error_a_page_is_compared_with_its_last_good_answer() -> None:
    seen, _ = look_at_pages({HOME: SEEN}, [row(HOME, 503, "Sorry")], {HOME: texts(None)})
    back, moves = look_at_pages(seen, [row(HOME, 200, "Another title")], {HOME: texts()})
    assert moves == [PageMove(HOME, "status", 503, 200), PageMove(HOME, "title", "A title", "Another title")]
    assert look_at_pages(back, [row(HOME, 200, "Another title")], {HOME: texts()})[1] == []


def test_a_page_watched_for_the_first_time_has_no_change() -> None:
    seen, moves = look_at_pages({}, [row(HOME, 500, None)], {HOME: texts(None)})
    assert moves == [] and seen == {HOME: Seen(500)}
    assert look_at_pages(seen, [row(HOME)], {HOME: texts()})[1] == [PageMove(HOME, "status", 500, 200)]
    assert look_at_pages({HOME: SEEN}, [], {}) == ({}, []), "what is watched no more is forgotten"


def test_the_last_known_crawler_verdict_is_kept_while_the_verdict_is_unknown() -> None:
    known, moves = look_at_crawlers(
        {"GPTBot": True}, {"GPTBot": Access(None, None), "New": Access(False, "Disallow: /")}
    )
    assert moves == [] and known == {"GPTBot": True, "New": False}
    known, moves = look_at_crawlers(known, {"GPTBot": Access(False, "Disallow: /")})
    assert moves == [CrawlerMove("GPTBot", True, False, "Disallow: /")]
    assert look_at_crawlers(known, {"GPTBot": Access(False, "Disallow: /a")})[1] == []


def test_robots_directives_are_joined_in_one_normalised_line() -> None:
    def said(*meta: tuple[str, str], header: str | None = None) -> str | None:
        headers = {} if header is None else {"x-robots-tag": header}
        return texts_of(PageFacts(url=HOME, robots_meta=list(meta), headers=headers), None).robots

    assert said() is None and said(("robots", " ")) is None
    assert said(("robots", "noindex,  follow"), ("googlebot", "nosnippet")) == "noindex, follow, googlebot: nosnippet"
    assert said(("robots", "noindex"), header="NOINDEX\nNoArchive") == "noindex, noarchive"
    assert len(said(header="x" * 100_000) or "") <= 300
