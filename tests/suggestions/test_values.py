"""Canonical and noindex values, and whether a value can be written."""

import pytest
from msgspec.structs import replace

from chalicelib.domain.changes.writability import writability
from chalicelib.domain.connections import Writer, WriterStatus
from chalicelib.domain.page.page_kinds import PageKind
from chalicelib.suggestions import canonicals, noindex
from chalicelib.suggestions.canonicals import PageCanonical, Target
from chalicelib.suggestions.noindex import PageNoindex

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
def test_canonical_addresses_are_suggested(case: str, page: PageCanonical, wanted: str | None) -> None:
    assert canonicals.suggested(page).url == wanted, case


def copy(path: str, inlinks: int = 1, **changes: bool) -> Target:
    """One of several pages with the same text."""
    facts = {"indexable": True, "names_itself": True, **changes}
    return Target(f"https://a.example{path}", inlinks=inlinks, **facts)


@pytest.mark.parametrize(
    ("case", "alike", "lang", "kept", "source"),
    [
        (
            "the folder, however often its file is linked",
            [copy("/b/", 1), copy("/b/index.html", 90)],
            None,
            "/b/",
            "folder",
        ),
        ("the home page, whatever else", [copy("/", 0), copy("/index.html", 9), copy("/start", 99)], None, "/", "home"),
        ("also of scripts", [copy("/b/", 0), copy("/b/index.php", 9)], None, "/b/", "folder"),
        ("also of a listed file", [copy("/b/"), copy("/b/index.html", in_sitemap=True)], None, "/b/", "folder"),
        ("without parameters", [copy("/a?sort=up", 9), copy("/a", 0)], None, "/a", "plain"),
        ("the one in the sitemap", [copy("/a", 90), copy("/b", 0, in_sitemap=True)], None, "/b", "sitemap"),
        ("the one in its language's folder", [copy("/de/x", 2), copy("/en/x", 2)], "en-GB", "/en/x", "language"),
        ("the one that is linked clearly more often", [copy("/a", 2), copy("/b", 5)], None, "/b", "links"),
        ("not linked clearly more often: not clear", [copy("/a", 2), copy("/b", 4)], None, None, None),
        ("the one that all others lengthen", [copy("/a"), copy("/a-2"), copy("/a-copy")], None, "/a", "plain"),
        ("also of files", [copy("/Map.html"), copy("/Map.Entry.html")], None, "/Map.html", "plain"),
        ("also of folders", [copy("/a/"), copy("/a/print")], None, "/a/", "plain"),
        ("not one that goes on in the word: not clear", [copy("/boot"), copy("/boots")], None, None, None),
        ("not one of three only: not clear", [copy("/a"), copy("/a-2"), copy("/b")], None, None, None),
        ("one name in two formats: not clear", [copy("/a.html"), copy("/a.php")], None, None, None),
        ("links go before length", [copy("/a", 1), copy("/a-2", 9)], None, "/a-2", "links"),
        ("listed both: not clear", [copy("/a", in_sitemap=True), copy("/b", in_sitemap=True)], None, None, None),
        ("folders of no language: not clear", [copy("/x/a"), copy("/en/a")], "en", None, None),
        ("a copy that may not be indexed is none", [copy("/a"), copy("/b", 9, indexable=False)], None, "/a", "links"),
        ("nor one that names another", [copy("/a"), copy("/b", 9, names_itself=False)], None, "/a", "links"),
    ],
)
def test_the_best_of_several_copies_becomes_the_canonical(
    case: str, alike: list[Target], lang: str | None, kept: str | None, source: str | None
) -> None:
    wanted = None if kept is None else f"https://a.example{kept}"
    for listed in (alike, alike[::-1]):
        for target in alike:
            chosen = canonicals.suggested(PageCanonical(target.url, [], False, alike=listed, lang=lang))
            fit = target.indexable and target.names_itself
            assert chosen.url == wanted, case
            assert (chosen.note is None) is (wanted is not None)
            if wanted is not None and target.url != wanted and fit:
                assert (chosen.source or "").startswith(source or ""), case


def test_a_page_that_cannot_be_indexed_is_not_suggested_as_canonical() -> None:
    chosen = canonicals.suggested(PageCanonical(PAGE, alike=[copy("/page"), copy("/b", 99, indexable=False)]))
    assert (chosen.url, chosen.source) == (PAGE, "own_address")


@pytest.mark.parametrize(
    ("case", "page", "wanted"),
    [
        ("the home page", PageNoindex(True, is_home=True), "false"),
        ("in the sitemap", PageNoindex(True, in_sitemap=True), "false"),
        ("linked often", PageNoindex(True, inlinks=10), "false"),
        ("a stub that is linked often", PageNoindex(True, inlinks=99, words=49), None),
        ("a short page that is linked often", PageNoindex(True, inlinks=99, words=50), "false"),
        ("a stub in the sitemap", PageNoindex(True, in_sitemap=True, words=9), "false"),
        ("nothing says that it is wanted", PageNoindex(True, inlinks=9), None),
        ("a legal page: its owner decides", PageNoindex(True, PageKind("legal", "privacy"), in_sitemap=True), None),
        ("a basket in the sitemap stays out", PageNoindex(True, PageKind("account"), in_sitemap=True), None),
        ("an empty list that is indexed", PageNoindex(False, PageKind("empty_archive")), "true"),
        ("a basket that is indexed", PageNoindex(False, PageKind("account")), "true"),
        ("a search page that is indexed", PageNoindex(False, PageKind("search"), in_sitemap=True), "true"),
        ("directives that conflict: only its owner knows", PageNoindex(True, conflicting=True), None),
        ("unless the page is no page to find", PageNoindex(True, PageKind("search"), conflicting=True), "true"),
        ("an article at an address of a search page", PageNoindex(False, PageKind("search"), is_article=True), None),
        ("an article that a rule takes for a basket", PageNoindex(False, has_no_place=True, is_article=True), None),
        ("unless the page is wanted", PageNoindex(True, in_sitemap=True, conflicting=True), "false"),
        ("a list that a rule found empty", PageNoindex(False, PageKind("archive"), has_no_place=True), "true"),
        ("an ordinary page", PageNoindex(False), None),
    ],
)
def test_noindex_values_are_suggested(case: str, page: PageNoindex, wanted: str | None) -> None:
    chosen = noindex.suggested(page)
    assert chosen.value == wanted, case
    assert (chosen.source is None) is (wanted is None) and (chosen.note is None) is (wanted is not None)


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
        (PAGE, "alt", SENT, writer(), "cannot write text alternatives of images"),
        (PAGE, "alt", SENT, replace(writer(), kind="shop"), "grant the scope write_files"),
        ("https://a.example/category/x", "title", SENT, writer(), "not a published content item"),
        (PAGE, "title", None, writer(), "has not sent its content yet"),
        (PAGE, "title", SENT, writer(), None),
    ],
)
def test_fields_that_cannot_be_written_have_a_reason(
    url: str, field: str, published: set[str] | None, cms: Writer | None, reason: str | None
) -> None:
    writable, said = writability(url, field, published, cms)
    assert writable is (reason is None)
    assert said is None if reason is None else reason in (said or "")
