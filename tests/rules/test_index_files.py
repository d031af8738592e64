"""A folder and its index file are one page: it is judged, counted and scored once."""

import pytest

from chalicelib.domain.page.facts import PageFacts
from chalicelib.rules.engine import Judge, Tally
from tests.rules.builders import HOME, address, links, page, site_facts, site_of

LONG = "A description that goes on and on about tents, packs, boots and stoves and never comes to an end " * 2
SAME = {"title": "One page of a small website", "text_hash": "same", "description": LONG}


def findings(pages: list[PageFacts], **site: object) -> dict[str, list[str]]:
    judge = Judge(site_of(pages, site_facts(**site)))  # type: ignore[arg-type]
    found: dict[str, list[str]] = {}
    for one in pages:
        for rule_id, _ in judge.page(one).findings:
            found.setdefault(rule_id, []).append(one.url.removeprefix("https://example.com"))
    return found


@pytest.mark.parametrize("name", ["index.html", "index.htm", "INDEX.HTML", "index.php", "default.aspx"])
def test_every_rule_treats_a_folder_and_its_index_file_as_one_page(name: str) -> None:
    pages = [
        page("/", links=links(f"/{name}", "/a"), **SAME),
        page(f"/{name}", links=links("/", "/a"), **SAME),
        page("/a", links=links(f"/{name}")),
    ]
    assert findings(pages) == {"SEO-ONP-012": ["/"]}
    site = site_of(pages)
    judge = Judge(site)
    results = {one.url: judge.page(one) for one in pages}
    assert judge.tallies()["SEO-ONP-012"] == judge.tallies()["SEO-ONP-013"]._replace(affected=1) == Tally(2, 1)
    assert [address.url for address in site.indexable()] == [address.url for address in site.readable()]
    assert sum(1 for _ in site.indexable()) == 2
    copy = results[address(f"/{name}")]
    assert (copy.indexable, copy.page_score, copy.aeo_score) == (True, None, None)
    assert results[HOME].page_score is not None
    assert copy.template == results[HOME].template


@pytest.mark.parametrize("query", ["??.html", "?", "?utm=1", "???"])
def test_a_stray_query_does_not_make_a_page_of_its_own(query: str) -> None:
    pages = [page("/"), page("/list.html", **SAME), page(f"/list.html?{query}", **SAME)]
    found = findings(pages)
    assert found["SEO-ONP-012"] == ["/list.html"]
    assert found.keys().isdisjoint(("SEO-CON-002", "SEO-ONP-002", "SEO-ONP-011"))


@pytest.mark.parametrize("paths", [("/list/",), ("/list/", "/list/index.html")])
def test_a_stray_query_after_an_index_file_does_not_make_a_page_of_its_own(paths: tuple[str, ...]) -> None:
    pages = [page("/"), *(page(path, **SAME) for path in paths), page("/list/index.html??.html", **SAME)]
    found = findings(pages)
    assert found["SEO-ONP-012"] == ["/list/"]
    assert found.keys().isdisjoint(("SEO-CON-002", "SEO-ONP-002", "SEO-ONP-011"))


@pytest.mark.parametrize(
    ("path", "changes"), [("/list.html?sort=1", {}), ("/list.html???", {"text_hash": "other", "words": 9})]
)
def test_a_query_of_its_own_or_another_text_makes_another_page(path: str, changes: dict[str, object]) -> None:
    pages = [page("/"), page("/list.html", **SAME), page(path, **{**SAME, **changes})]
    assert findings(pages)["SEO-ONP-012"] == ["/list.html", path]


def test_an_index_file_and_its_folder_share_their_links() -> None:
    pages = [
        page("/", links=links("/guide/index.html")),
        page("/guide/", links=links("/b"), **SAME),
        page("/guide/index.html", links=links("/guide/", "/b"), **SAME),
        page("/b", links=links("/guide/index.html", "/guide/")),
    ]
    site = site_of(pages, site_facts(sitemap=["/guide/"]))
    assert (site.inlinks(address("/guide/")), site.inlinks(address("/b"))) == (2, 1)
    assert [site.links.depth(address(path)) for path in ("/guide/index.html", "/guide/", "/b")] == [1, 1, 2]
    assert "SEO-LNK-003" not in findings(pages, sitemap=["/guide/"])


def test_an_index_file_in_the_sitemap_counts_for_its_folder() -> None:
    pages = [page("/", links=links("/guide/")), page("/guide/", **SAME), page("/guide/index.html", **SAME)]
    assert findings(pages, sitemap=["/", "/guide/index.html"]).get("SEO-SMP-006") is None
    assert findings(pages, sitemap=["/"])["SEO-SMP-006"] == ["/guide/"]


def test_the_home_page_may_be_the_index_file() -> None:
    start = address("/index.html")
    site = site_of([page("/", **SAME), page("/index.html", **SAME)], site_facts(home_url=start))
    assert [one.url for one in site.indexable()] == [start]


def test_only_the_folder_is_judged_if_it_has_two_index_files() -> None:
    pages = [page(path, **SAME) for path in ("/", "/index.html", "/index.php")]
    assert [one.url for one in site_of(pages).indexable()] == [HOME]


@pytest.mark.parametrize(
    ("path", "changes"),
    [
        ("/index.html", {"text_hash": "another"}),
        ("/index.html", {"title": "Another title of this page"}),
        ("/index.html", {"description": None}),
        ("/index.html", {"robots_meta": [("robots", "noindex")]}),
        ("/index.html", {"canonicals": [("", address("/a"), "html")]}),
        ("/index.html", {"canonicals": [("", "https://other.example/", "html")]}),
        ("/index.html", {"shape": "another"}),
        ("/index.html?lang=en", {}),
        ("/home.html", {}),
        ("/a/index.html", {}),
        ("/index-2.html", {}),
    ],
)
def test_an_index_file_with_other_content_than_its_folder_is_a_separate_page(
    path: str, changes: dict[str, object]
) -> None:
    site = site_of([page("/", **SAME), page(path, **{**SAME, **changes})])
    assert sum(1 for _ in site.readable()) == 2


def test_the_canonical_of_a_folder_may_be_the_folder_or_its_index_file() -> None:
    for named in (HOME, address("/index.html")):
        pages = [page(path, canonicals=[("", named, "html")], **SAME) for path in ("/", "/index.html")]
        assert [one.url for one in site_of(pages).indexable()] == [HOME]
