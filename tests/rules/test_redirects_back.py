"""Redirects that lead back to the page itself, as hosts make them that add a slash: the address stands for the page."""

import pytest

from chalicelib.domain.page.facts import Hreflang, PageFacts
from tests.rules.builders import address, page, redirect, site_facts, site_of
from tests.rules.test_false_alarms import findings

EN, DE = "/docs/intro", "/de/docs/intro"


def alternates(*versions: tuple[str, str]) -> list[Hreflang]:
    return [Hreflang(lang, address(path)) for lang, path in versions]


def documented(path: str, **changes: object) -> list[PageFacts]:
    """A page of a generator that names its own address without the slash that the host adds, and that redirect."""
    names = [(address(path), address(path), "html")]
    return [page(f"{path}/", canonicals=names, **changes), redirect(path, f"{path}/")]


def test_a_canonical_that_redirects_back_to_its_page_counts_as_the_page_itself() -> None:
    site = site_of([page("/"), *documented(EN)])
    assert site.addresses[address(f"{EN}/")].canonical_is_self
    assert site.addresses[address(f"{EN}/")].canonical == address(EN)


def test_a_canonical_that_redirects_elsewhere_does_not_name_the_page_itself() -> None:
    other = page("/a", canonicals=[(address("/b"), address("/b"), "html")])
    for hops in (
        [redirect("/b", "/c"), page("/c")],
        [redirect("/b", "/b")],
        [redirect("/b", "/d"), redirect("/d", "/b")],
    ):
        assert not site_of([page("/"), other, *hops]).addresses[address("/a")].canonical_is_self


def test_pages_with_redirecting_canonicals_are_judged_and_reported() -> None:
    same = {"title": "What there is to know about tents and how to pitch them"}
    found = findings([page("/"), *documented("/a", **same), *documented("/b", **same)])
    assert found["SEO-ONP-002"] == ["/a/", "/b/"]
    assert found["SEO-TEC-015"] == ["/a/", "/b/"]


def test_language_versions_that_name_redirects_to_each_other_have_return_links() -> None:
    named = alternates(("en", EN), ("de", DE))
    pages = [page("/"), *documented(EN, hreflang=named), *documented(DE, lang="de", hreflang=named)]
    found = findings(pages)
    for rule_id in ("SEO-HRE-001", "SEO-HRE-004", "SEO-HRE-006"):
        assert rule_id not in found
    assert found["SEO-HRE-002"] == [f"{EN}/", f"{DE}/"]  # an annotation names the page, not a redirect to it


def test_a_language_version_that_names_an_unrelated_redirect_has_no_return_link() -> None:
    pages = [
        page("/"),
        page(EN, hreflang=alternates(("en", EN), ("de", DE))),
        page(DE, lang="de", hreflang=alternates(("de", DE), ("en", "/old"))),
        redirect("/old", "/"),
    ]
    assert findings(pages)["SEO-HRE-001"] == [EN]
    pages[-1] = redirect("/old", EN)
    assert "SEO-HRE-001" not in findings(pages)


def test_language_versions_whose_hreflang_names_redirects_are_not_duplicates() -> None:
    named = alternates(("en", EN), ("en-GB", DE))
    same = {"title": "What there is to know about tents and how to pitch them", "hreflang": named}
    assert "SEO-ONP-002" not in findings([page("/"), *documented(EN, **same), *documented(DE, **same)])


@pytest.mark.parametrize("listed", [EN, f"{EN}/"])
def test_a_page_counts_as_listed_if_the_sitemap_lists_a_redirect_to_it(listed: str) -> None:
    found = findings([page("/"), *documented(EN)], site_facts(sitemap=["/", listed]))
    assert "SEO-SMP-006" not in found
    assert ("SEO-SMP-003" in found) == (listed == EN)


def test_later_pages_belong_to_a_series_even_if_its_first_page_redirects() -> None:
    same = {"title": "What there is to know about tents and how to pitch them"}
    pages = [page("/"), page("/tents/", **same), redirect("/tents", "/tents/"), page("/tents?page=2", **same)]
    assert "SEO-ONP-002" not in findings(pages)
