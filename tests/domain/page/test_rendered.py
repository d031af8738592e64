"""What a browser made of a page, next to what the server sent; and which pages it is shown."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.domain.page.facts import Link, PageFacts
from chalicelib.domain.page.rendered import (
    KEPT_SECONDS,
    MOST_ADDED,
    MOST_PAGES,
    SHELL_WORDS,
    Candidate,
    Rendered,
    RenderedSample,
    Told,
    candidate,
    compared,
    needs_scripts,
    sample,
    told,
    wanted,
)

HOME = "https://shop.test/"


def facts(**given: object) -> PageFacts:
    return PageFacts(**({"url": HOME, "status": 200, "is_html": True, "fetched_at": 1_800_000_000} | given))


def links(*paths: str) -> list[Link]:
    return [Link(f"{HOME}{path}", "text", 0) for path in paths]


def test_the_seo_tags_of_a_rendered_page_are_stored() -> None:
    found = told(
        facts(
            words=9,
            links=links("a", "b"),
            title="Tents",
            canonicals=[("x:", "", "html"), ("/t", f"{HOME}t", "html")],
            robots_meta=[("robots", "index, nofollow, max-snippet:20")],
            headers={"x-robots-tag": "noindex"},
            structured_types=["WebSite", "Organization", "WebSite"],
        )
    )
    robots = ("noindex", "nofollow", "max-snippet:20")
    assert found == Told(9, 2, "Tents", f"{HOME}t", robots, ("Organization", "WebSite"))


def test_robots_directives_without_restrictions_are_left_out() -> None:
    assert told(facts(robots_meta=[("robots", "index, follow, max-snippet:-1, max-image-preview:large")])).robots == ()


def test_links_added_by_scripts_are_listed() -> None:
    page = compared(facts(links=links("a")), facts(fetched_at=1_800_000_009, links=links("b", "a", "c")))
    assert (page.url, page.rendered_at) == (HOME, 1_800_000_009)
    assert page.links_added == (f"{HOME}b", f"{HOME}c")
    many = compared(facts(), facts(links=links(*map(str, range(500)))))
    assert len(many.links_added) == MOST_ADDED and many.after.links == 500


def test_a_page_needs_scripts_if_they_add_most_words_or_every_link() -> None:
    assert needs_scripts(Told(99, 5), Told(400, 5))
    assert not needs_scripts(Told(100, 5), Told(400, 5))
    assert needs_scripts(Told(400, 0), Told(400, 1))
    assert not needs_scripts(Told(0, 0), Told(0, 0))


def test_a_rendering_of_any_age_is_used_if_no_newer_one_exists() -> None:
    page = Rendered(HOME, 1_000, Told(1, 1), Told(2, 2))
    assert RenderedSample("crawl_1", [page]).told() == {HOME: Told(2, 2)}, "however long no browser could be had"
    assert RenderedSample("crawl_1", []).told() is None


def test_only_indexable_html_pages_are_rendered() -> None:
    assert candidate(facts(shape="s", words=3)) == Candidate(HOME, "s", 3)
    assert candidate(facts(status=404)) is None
    assert candidate(facts(is_html=False)) is None
    assert candidate(facts(error="too_hard")) is None
    assert candidate(facts(robots_meta=[("robots", "noindex")])) is None


def page(name: str, shape: str = "s", words: int = 400) -> Candidate:
    return Candidate(f"{HOME}{name}", shape, words)


def test_home_page_changed_pages_app_shells_and_a_page_of_each_template_are_sampled() -> None:
    candidates = [
        page("", "home"),
        page("a1", "a"),
        page("b1", "b"),
        page("b2", "b"),
        page("app", "shell", 0),
        page("app2", "shell", 0),
        page("changed", "c"),
        page("same", "d"),
    ]
    earlier = [
        Rendered(f"{HOME}changed", 1, Told(10, 1), Told(400, 1)),
        Rendered(f"{HOME}same", 1, Told(400, 1), Told(400, 1)),
        Rendered(f"{HOME}gone", 1, Told(10, 1), Told(400, 1)),
    ]
    names = [url.removeprefix(HOME) for url in sample(HOME, candidates, earlier)]
    assert names == ["", "changed", "app", "app2", "b1", "a1", "same"]


shapes = st.sampled_from("abcdefghijklmnopqrstuvwxyz")
pages = st.lists(st.tuples(shapes, st.integers(0, 100)), max_size=80).map(
    lambda drawn: [page(str(number), shape, words) for number, (shape, words) in enumerate(drawn)]
)


@given(pages)
def test_each_address_is_in_the_sample_once(
    candidates: list[Candidate],
) -> None:
    chosen = sample(HOME, candidates)
    known = {one.url: one for one in candidates}
    assert len(chosen) == len(set(chosen)) <= MOST_PAGES and set(chosen) <= known.keys()
    full = [known[url].shape for url in chosen if known[url].words >= SHELL_WORDS]
    assert len(full) == len(set(full))
    if len(chosen) < MOST_PAGES:
        assert {known[url].shape for url in chosen} == {one.shape for one in candidates}
    assert chosen == sample(HOME, candidates)


def rendered(*names: str, at: int = 1_000) -> list[Rendered]:
    return [Rendered(f"{HOME}{name}", at, Told(1, 1), Told(at, 1)) for name in names]


def names(pages: RenderedSample) -> dict[str, int]:
    return {page.url.removeprefix(HOME): page.rendered_at for page in pages.pages}


def test_a_page_that_fails_to_render_keeps_its_last_rendering() -> None:
    before = RenderedSample("crawl_1", rendered("a", "b", "c"))
    after = before.renewed("crawl_2", rendered("a", at=2_000), {f"{HOME}b"}, whole=True)
    assert (after.audit_id, names(after)) == ("crawl_2", {"a": 2_000, "b": 1_000}), "c was not wanted any more"
    part = before.renewed("crawl_2", rendered("a", at=2_000), set(), whole=False)
    assert names(part) == {"a": 2_000, "b": 1_000, "c": 1_000}


def test_a_page_not_rendered_for_four_weeks_is_dropped_from_the_sample() -> None:
    before, later = RenderedSample("crawl_1", rendered("a")), rendered("b", at=int(1_000 + KEPT_SECONDS))
    assert names(before.renewed("crawl_2", later, {f"{HOME}a"}, whole=True)).keys() == {"b"}


def test_a_partial_audit_renders_only_pages_of_the_last_sample() -> None:
    earlier = rendered("", "a", "z")
    pages = [Candidate(f"{HOME}{name}", shape, 100) for name, shape in (("", "home"), ("a", "x"), ("new", "y"))]
    assert wanted(HOME, pages, earlier) == [HOME, f"{HOME}a"]
    assert wanted(HOME, pages, earlier[:2]) == sample(HOME, pages, earlier[:2]) == [HOME, f"{HOME}a", f"{HOME}new"][:3]
    assert wanted(HOME, pages, []) == sample(HOME, pages)
