"""Which addresses are worth a redirect, in which order, and what is known of them."""

from chalicelib.domain.audit.records import AffectedPage, PageRow
from chalicelib.domain.changes.missing_addresses import Missing, Offered
from chalicelib.domain.search.figures import Figures
from chalicelib.rules.missing_addresses import MOST, MOST_LINKING, missing, offered

SITE = "https://a.example"


def row(path: str, status: int | None = 404, inlinks: int = 0, **more: object) -> PageRow:
    values = {"title": None, "template": None, "page_score": None, "aeo_score": None, "rules": [], "last_crawled": 1}
    return PageRow(id=path, url=SITE + path, status=status, inlinks=inlinks, **{**values, **more})  # type: ignore[arg-type]


def linking(path: str, *targets: tuple[str, str]) -> AffectedPage:
    evidence = {"targets": [{"url": SITE + url, "text": text, "status": 404} for url, text in targets]}
    return AffectedPage(SITE + path, path, evidence, 1, 1)


def listed(path: str, count: object, *sources: str) -> AffectedPage:
    return AffectedPage(SITE + path, path, {"linkingPages": count, "linkedFrom": [SITE + one for one in sources]}, 1, 1)


def found(rows: list[PageRow], **given: object) -> list[str]:
    values = {"listed": [], "linking": [], "searched": None, "host": "a.example"} | given
    return [one.url.removeprefix(SITE) for one in missing(rows, **values)]  # type: ignore[arg-type]


def test_only_missing_addresses_with_links_or_searches_are_listed() -> None:
    rows = [
        row("/linked", inlinks=2),
        row("/searched", 410),
        row("/clicked"),
        row("/nobody"),
        row("/works", 200, 9),
        row("/error", 500, 9),
        row("/forbidden", 403, 9),
        row("/unread", None, 9),
    ]
    searched = {f"{SITE}/searched": Figures(0, 50, 100), f"{SITE}/clicked": Figures(3, 9, 9)}
    assert found(rows, searched=searched) == ["/clicked", "/linked", "/searched"]
    assert found(rows, searched=None) == ["/linked"]
    assert found(rows, host="b.example") == []


def test_linking_pages_and_link_texts_are_listed_with_a_missing_address() -> None:
    pages = [linking(f"/p{number}", ("/old", "Winter tents" if number else "More"), ("/x", "X")) for number in range(9)]
    one = missing([row("/old")], [listed("/old", 12, "/menu")], pages, None, "a.example")[0]
    assert one.links == 12 and one.texts == ["Winter tents", "More"]
    assert one.linked_from[0] == f"{SITE}/menu" and len(one.linked_from) == MOST_LINKING


def test_incomplete_or_malformed_evidence_is_skipped() -> None:
    odd = [
        AffectedPage(f"{SITE}/a", "a", {"message": "Cut."}, 1, 1),
        AffectedPage(f"{SITE}/b", "b", {"targets": "none"}, 1, 1),
        AffectedPage(f"{SITE}/c", "c", {"targets": [None, {"url": 3}, {"url": f"{SITE}/old", "text": None}]}, 1, 1),
    ]
    one = missing([row("/old")], [listed("/old", None)], odd, None, "a.example")[0]
    assert (one.links, one.linked_from, one.texts) == (1, [f"{SITE}/c"], [])


def test_at_most_a_thousand_missing_addresses_are_listed() -> None:
    assert len(found([row(f"/{number}", inlinks=1) for number in range(MOST + 5)])) == MOST


def test_a_target_suggested_earlier_is_kept_while_it_is_suitable() -> None:
    gone = Missing(f"{SITE}/old/tents", 404, 1)
    page = row("/shop/tents", 200, title="Tents", indexable=True)
    other = row("/shop/other", 200, title="Other", indexable=True)
    before = [Offered(Missing(gone.url, 410, 9), other.url, "name")]
    assert offered([gone], [page, other], {}, "", before) == [Offered(gone, other.url, "name")]
    assert offered([gone], [page], {}, "", before) == [Offered(gone, page.url, "name")]
    assert offered([gone], [page], {}, "", [Offered(gone)]) == [Offered(gone)], "a page is looked for once an audit"


def test_only_indexable_pages_without_redirect_are_suggested_as_targets() -> None:
    gone = Missing(f"{SITE}/old/tents", 404, 1)
    good = {"title": "Tents", "indexable": True}
    for fit, page in (
        (True, row("/shop/tents", 200, **good)),
        (False, row("/shop/tents", 200, title="Tents", indexable=False)),
        (False, row("/shop/tents", 301, redirects=[f"{SITE}/x"], **good)),
        (False, row("/shop/tents", None, **good)),
    ):
        assert (offered([gone], [page], {}, f"{SITE}/")[0].target is not None) is fit
    home = row("/tents", 200, **good)
    assert offered([gone], [home], {}, home.url)[0].target is None
    named = offered([Missing(f"{SITE}/x9", 404, 1)], [row("/p/1", 200, **good)], {f"{SITE}/x9": ["tents"]}, "")
    assert (named[0].because, named[0].text) == ("search", "tents")
