"""Which pages are tested each week, and which when a recheck waits for tests."""

from typing import Any

from chalicelib.domain.audit.records import AffectedPage, PageRow
from chalicelib.domain.speed.choosing import weekly_tests
from chalicelib.domain.speed.retests import retests_of, runs_needed, to_test, was_tested_since
from tests import speed

HOME = "https://shop.example/"


def row(path: str, template: str | None, inlinks: int = 1, **changed: Any) -> PageRow:
    values: dict[str, Any] = {"status": 200, "indexable": True, **changed}
    return PageRow(
        id=path,
        url=HOME + path,
        title=path,
        template=template,
        page_score=None,
        aeo_score=None,
        rules=[],
        inlinks=inlinks,
        last_crawled=1,
        **values,
    )


def test_the_home_page_and_the_most_linked_page_of_each_template_are_tested() -> None:
    rows = [
        row("", "home", 90),
        row("a", "product", 3),
        row("b", "product", 7),
        row("c", "article", 9),
        row("d", None, 2),
    ]
    assert weekly_tests(HOME, rows, most=50) == [
        (HOME, "mobile"),
        (HOME, "desktop"),
        (HOME + "c", "mobile"),
        (HOME + "b", "mobile"),
        (HOME + "d", "mobile"),
    ]


def test_slow_pages_are_tested_first_but_the_home_page_is_never_left_out() -> None:
    rows = [
        row("", "home", 90),
        *(row(name, "product", inlinks) for name, inlinks in zip("abcd", (9, 3, 2, 1), strict=True)),
    ]
    listed = {HOME + "d": 50.0, HOME + "a": 70.0, HOME + "c": 0.0}
    chosen = weekly_tests(HOME, rows, most=50, listed=listed)
    assert chosen == [*((HOME + name, "mobile") for name in "cda"), (HOME, "mobile"), (HOME, "desktop")]
    few = weekly_tests(HOME, rows, most=3, listed=listed)
    assert few == [(HOME + "c", "mobile"), (HOME, "mobile"), (HOME, "desktop")]
    assert weekly_tests(HOME, rows, most=1, listed=listed) == [(HOME, "mobile")]


def test_pages_with_clicks_are_chosen_before_pages_with_links() -> None:
    rows = [row("a", "product", 300), row("b", "product", 1), row("c", "article", 9)]
    chosen = weekly_tests(HOME, rows, most=50, clicks={HOME + "b": 12})
    assert [url for url, _ in chosen[2:]] == [HOME + "b", HOME + "c"]


def test_missing_redirected_and_noindex_pages_are_not_tested() -> None:
    rows = [row("gone", "a", status=404), row("moved", "b", status=301), row("hidden", "c", indexable=False)]
    assert weekly_tests(HOME, [*rows, row("unread", "d", status=None)], most=50) == [
        (HOME, "mobile"),
        (HOME, "desktop"),
    ]


def test_twenty_pages_are_chosen_or_fewer_if_the_budget_allows_fewer_tests() -> None:
    rows = [row(f"page-{number:02d}", f"template-{number}") for number in range(60)]
    chosen = weekly_tests(HOME, rows, most=100)
    assert len({url for url, _ in chosen}) == 20 and len(chosen) == 21
    assert weekly_tests(HOME, rows, most=5) == chosen[:5]
    assert weekly_tests(HOME, rows, most=0) == []


def test_the_chosen_pages_do_not_depend_on_the_order_in_which_pages_are_stored() -> None:
    rows = [row(f"page-{number}", f"template-{number % 7}", inlinks=number % 3) for number in range(40)]
    assert weekly_tests(HOME, rows, most=50) == weekly_tests(HOME, reversed(rows), most=50)


def test_speed_values_need_three_runs_and_agentic_checks_need_one_run() -> None:
    assert runs_needed(("speed",)) == 3
    assert runs_needed(("agentic",)) == 1


def test_pages_with_their_own_field_data_need_no_test() -> None:
    def listed(path: str, source: str | None) -> AffectedPage:
        return AffectedPage(HOME + path, path, {} if source is None else {"source": source}, 1, 1)

    pages = [listed("a", "field_page"), listed("b", "field_site"), listed("c", "lab"), listed("d", None)]
    assert to_test(pages) == [HOME + "b", HOME + "c", HOME + "d"]


def test_a_recheck_tests_only_pages_for_which_the_budget_covers_all_runs() -> None:
    assert retests_of(["a", "b", "c"], 3, 7) == [("a", "mobile"), ("b", "mobile")] * 3
    assert retests_of(["a", "b", "c"], 3, 2) == []
    assert len(retests_of([str(number) for number in range(500)], 1, 1_000)) == 40


def test_only_speed_tests_run_after_a_recheck_was_requested_are_counted_for_it() -> None:
    found = speed.result(HOME, at=1_000_000.0, runs=3)  # a day apart
    assert was_tested_since(found, 1, 999_999.0) and not was_tested_since(found, 2, 999_999.0)
    assert was_tested_since(found, 3, 0.0) and not was_tested_since(None, 1, 0.0)
