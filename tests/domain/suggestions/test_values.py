"""Canonical and noindex values, and whether a value can be written."""

import pytest

from chalicelib.domain.connections import Writer, WriterStatus
from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.domain.suggestions import canonicals, noindex
from chalicelib.domain.suggestions.canonicals import PageCanonical, Target
from chalicelib.domain.suggestions.noindex import PageNoindex
from chalicelib.domain.suggestions.writing import writability

PAGE, OTHER = "https://a.example/page", "https://a.example/other"
GOOD = Target(OTHER, indexable=True, names_itself=True, inlinks=3)


@pytest.mark.parametrize(
    ("case", "page", "wanted"),
    [
        ("no canonical address: itself", PageCanonical(PAGE), PAGE),
        ("a broken target: itself", PageCanonical(PAGE, [OTHER]), PAGE),
        ("a redirect: where it ends", PageCanonical(PAGE, ["https://a.example/old"], leads_to=GOOD), OTHER),
        ("a chain: its end", PageCanonical(PAGE, ["https://a.example/step"], leads_to=GOOD), OTHER),
        (
            "a target that may not be indexed: itself",
            PageCanonical(PAGE, [OTHER], leads_to=GOOD._replace(indexable=False)),
            PAGE,
        ),
        ("several, the page itself among them: itself", PageCanonical(PAGE, [OTHER, PAGE], True, GOOD), PAGE),
        ("a relative address of the page itself: absolute", PageCanonical(PAGE, ["/page"], True), PAGE),
        ("the right one already", PageCanonical(PAGE, [PAGE], True), None),
        ("one address for the whole website: itself", PageCanonical(PAGE, [OTHER], False, GOOD, (), True), PAGE),
    ],
)
def test_canonical_values(case: str, page: PageCanonical, wanted: str | None) -> None:
    assert canonicals.suggested(page) == wanted, case


def test_pages_with_the_same_text_all_name_the_one_with_most_links() -> None:
    here = Target(PAGE, indexable=True, names_itself=True, inlinks=1)
    for url in (PAGE, OTHER):
        page = PageCanonical(url, [url], True, alike=[here, GOOD])
        assert canonicals.suggested(page) == (None if url == OTHER else OTHER)
    unlinked = [target._replace(inlinks=0) for target in (Target(PAGE + "?sort=a", True, True), here)]
    assert canonicals.suggested(PageCanonical(PAGE + "?sort=a", alike=unlinked)) == PAGE


def test_a_page_that_may_not_be_indexed_stands_for_no_other() -> None:
    here = Target(PAGE, indexable=True, names_itself=True, inlinks=1)
    page = PageCanonical(PAGE, alike=[here, GOOD._replace(indexable=False)])
    assert canonicals.suggested(page) == PAGE


@pytest.mark.parametrize(
    ("case", "page", "wanted"),
    [
        ("the home page", PageNoindex(True, is_home=True), "false"),
        ("in the sitemap", PageNoindex(True, in_sitemap=True), "false"),
        ("linked often", PageNoindex(True, inlinks=10), "false"),
        ("nothing says that it is wanted", PageNoindex(True, inlinks=9), None),
        ("a legal page: its owner decides", PageNoindex(True, PageKind("legal", "privacy"), in_sitemap=True), None),
        ("a basket in the sitemap stays out", PageNoindex(True, PageKind("account"), in_sitemap=True), None),
        ("an empty list that is indexed", PageNoindex(False, PageKind("empty_archive")), "true"),
        ("a basket that is indexed", PageNoindex(False, PageKind("account")), "true"),
        ("a search page that is indexed", PageNoindex(False, PageKind("search"), in_sitemap=True), "true"),
        ("directives that conflict: the strictest", PageNoindex(True, conflicting=True), "true"),
        ("unless the page is wanted", PageNoindex(True, in_sitemap=True, conflicting=True), "false"),
        ("a list that a rule found empty", PageNoindex(False, PageKind("archive"), has_no_place=True), "true"),
        ("an ordinary page", PageNoindex(False), None),
    ],
)
def test_noindex_values(case: str, page: PageNoindex, wanted: str | None) -> None:
    assert noindex.suggested(page) == wanted, case


SENT = {PAGE}


def writer(writable: bool = True, reason: str | None = None) -> Writer:
    status = WriterStatus(writable=writable, reason=reason, fields=("title",), platform="wordpress", version="6.1")
    return Writer(kind="cms", base_url="https://a.example/", connected_at=0.0, checked_at=0.0, status=status)


@pytest.mark.parametrize(
    ("url", "field", "published", "cms", "reason"),
    [
        (PAGE, "title", None, None, "No CMS connection"),
        (PAGE, "title", SENT, writer(False, "The plugin is too old."), "The plugin is too old."),
        (PAGE, "title", SENT, writer(False), "can be read but not written"),
        (PAGE, "canonical", SENT, writer(), "cannot write canonical addresses"),
        ("https://a.example/category/x", "title", SENT, writer(), "no published content item"),
        (PAGE, "title", None, writer(), "has not sent its content yet"),
        (PAGE, "title", SENT, writer(), None),
    ],
)
def test_what_can_be_written_and_why_not(
    url: str, field: str, published: set[str] | None, cms: Writer | None, reason: str | None
) -> None:
    writable, said = writability(url, field, published, cms)
    assert writable is (reason is None)
    assert said is None if reason is None else reason in (said or "")
