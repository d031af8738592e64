"""What search brought pages, by the addresses that the website has, and how much affected pages weigh."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.audit.records import AffectedPage, PageRow
from chalicelib.domain.audit.searched import Weight, Weights, by_page
from chalicelib.domain.search.figures import Figures

HOST = "example.com"
HTTPS = "https://www.example.com"
ROWS = [PageRow(name, f"/{name}", 200, None, None, None, None, [], links, 1) for name, links in (("a", 3), ("b", 1))]


def found(searched: Mapping[str, int], *known: str) -> dict[str, int]:
    figures = {url: Figures(0, count, count) for url, count in searched.items()}
    return {url: one.impressions for url, one in by_page(figures, HOST, set(known), lambda: known).items()}


def test_clicks_of_a_known_address_are_counted_for_that_address() -> None:
    known = f"{HTTPS}/a", f"{HTTPS}/a/"
    assert found({f"{HTTPS}/a": 1, f"{HTTPS}/a/": 2}, *known) == {f"{HTTPS}/a": 1, f"{HTTPS}/a/": 2}


def test_clicks_on_another_spelling_are_counted_for_the_known_address() -> None:
    spelled = {"http://example.com/a/": 1, "http://www.example.com/a": 2, f"{HTTPS}/a": 4}
    assert found(spelled, f"{HTTPS}/a") == {f"{HTTPS}/a": 7}
    assert found({"http://example.com/a": 1}, f"{HTTPS}/a/", f"{HTTPS}/a") == {f"{HTTPS}/a/": 1}


def test_an_unknown_address_with_clicks_is_treated_as_a_page_of_its_own() -> None:
    assert found({f"{HTTPS}/lost": 5, f"{HTTPS}/a?b=1": 2}, f"{HTTPS}/a") == {f"{HTTPS}/lost": 5, f"{HTTPS}/a?b=1": 2}


def test_clicks_of_other_hosts_are_not_counted() -> None:
    assert found({"https://blog.example.com/a": 5, "https://example.com/a": 1}) == {"https://example.com/a": 1}


@given(
    st.dictionaries(
        st.builds(
            "{}://{}example.com/{}{}".format,
            st.sampled_from(["http", "https"]),
            st.sampled_from(["", "www.", "blog."]),
            st.sampled_from("abc"),
            st.sampled_from(["", "/", "?q"]),
        ),
        st.integers(1, 9),
    ),
    st.sets(st.sampled_from([f"{HTTPS}/{name}{slash}" for name in "abc" for slash in ("", "/")])),
)
def test_every_click_is_counted_exactly_once(searched: dict[str, int], known: set[str]) -> None:
    own = {url: count for url, count in searched.items() if "blog." not in url}
    assert sum(found(searched, *sorted(known)).values()) == sum(own.values())


def weight(names: str, searched: Mapping[str, Figures] | None) -> Weight:
    return Weights(ROWS, searched).of([AffectedPage(f"/{name}", name, {}, 1, 1) for name in names])


def test_pages_are_weighted_by_incoming_links_without_search_data() -> None:
    assert weight("a", None) == Weight(0.75, None)
    assert Weights([], None).of([AffectedPage("/a", "a", {}, 1, 1)]) == Weight(0.0, None)


def test_pages_are_weighted_by_clicks_if_there_is_search_data() -> None:
    searched = {"/a": Figures(1, 10, 10), "/b": Figures(3, 5, 5), "/unread": Figures(6, 6, 6)}
    assert weight("a", searched) == Weight(0.1, 10)
    assert weight("ab", searched) == Weight(0.4, 15)


def test_pages_without_clicks_are_weighted_by_incoming_links() -> None:
    assert weight("b", {"/b": Figures(0, 5, 5)}) == Weight(0.25, 5)
    assert weight("b", {}) == Weight(0.25, 0)
