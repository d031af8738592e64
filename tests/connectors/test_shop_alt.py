"""Alt texts in a shop: which file is written, what is said of others, and that each change happens once."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import shop_keyed
from chalicelib.connectors.errors import Unavailable
from chalicelib.domain.connector import shop_images as images
from chalicelib.domain.connector.messages import Change, Outcome
from chalicelib.domain.connector.shop_keyed import TWO_VALUES
from chalicelib.domain.connector.shop_notes import CHANGED, NOT_OURS
from chalicelib.domain.crawl.shop_addresses import NOT_A_FILE
from chalicelib.settings.reading import forget_settings
from local.standins.shop import REFUSAL, Shop
from local.standins.shop_items import ListShop
from tests.connectors.shops import answering, asking, lost, shop

PAGE = "https://shop.example/products/1"
TENT, OWN = "files/tent.jpg", "files/tent-1.jpg"
BASE = "https://shop.example/cdn/shop/"
TEXT = "A green tent & a “fire”"


@pytest.fixture
def standin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    found = Shop(ListShop(3))
    asking(monkeypatch, found.url)
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)
    yield found
    found.stop()
    monkeypatch.undo()
    forget_settings()


def describe(value: str | None, src: str = f"{OWN}?v=1", number: int = 1, sequence: int = 1, **more: Any) -> Change:
    given: dict[str, Any] = {
        "change_id": f"batch-{sequence}.{number}",
        "sequence": sequence,
        "cms_id": "gid://shopify/Product/1",
        "url": PAGE,
        "field": "alt",
        "value": value,
        "key": f"{BASE}{src} 1",
    }
    return Change(**(given | more))


def back(outcome: Outcome, sequence: int = 9, **more: Any) -> Change:
    return describe(None, sequence=sequence, restore=outcome.undo, **more)


def stored(standin: Shop, path: str = OWN) -> str | None:
    return standin.value("", f"alt {path}")


def test_an_alt_text_is_written_to_the_file_and_shown_on_every_page(standin: Shop) -> None:
    outcome = shop().change(describe(TEXT, f"{TENT}?v=1&width=600"))
    assert (outcome.state, outcome.before, outcome.after) == ("written", "", TEXT)
    site: Any = standin.site
    shown = {item: set(alts.values()) for item, alts in site.alts.items() if alts}
    assert shown == {f"products:{n}": {TEXT} for n in (1, 2, 3)}, "two images on each page show the file"
    assert standin.writes == [("", f"alt {TENT}", TEXT)] and standin.notes() == 1


@pytest.mark.parametrize("before", [None, "", "  An old text", "x" * 512])
def test_an_undo_restores_the_previous_alt_text_exactly(standin: Shop, before: str | None) -> None:
    standin.edit("", f"alt {OWN}", before)
    outcome = shop().change(describe(TEXT))
    assert stored(standin) == TEXT and outcome.before == (before or "")
    undone = shop().change(back(outcome))
    assert (undone.state, undone.before, undone.after) == ("written", TEXT, before or "")
    assert stored(standin) == before


def test_an_empty_text_is_written_to_a_shop_that_ignores_null(standin: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    real = standin.files.store

    def store(path: str, alt: str | None, *, hide: bool) -> None:
        if alt is not None:
            real(path, alt, hide=hide)

    monkeypatch.setattr(standin.files, "store", store)
    outcome = shop().change(describe(TEXT))
    undone = shop().change(back(outcome))
    assert undone.state == "written" and stored(standin) == ""


def test_a_file_is_found_by_an_address_with_a_size_suffix(standin: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shop().change(describe(TEXT, "files/tent-1_600x.jpg?v=1")).state == "written"
    assert stored(standin) == TEXT and stored(standin, TENT) is None
    site: Any = standin.site
    real = site.images
    monkeypatch.setattr(site, "images", lambda item: [*real(item), f"{BASE}files/tent-1_600x.jpg 1"])
    refused = shop().change(describe("Other", "files/tent-1_600x.jpg?v=1", sequence=2))
    assert (refused.state, refused.reason) == ("refused", images.UNCLEAR)
    assert stored(standin) == TEXT


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"key": "https://shop.example/images/fox.jpg 1"}, NOT_A_FILE),
        ({"key": "https://elsewhere.example/cdn/shop/files/tent.jpg 1"}, NOT_A_FILE),
        ({"key": None}, NOT_A_FILE),
        ({"key": f"{BASE}files/lost.jpg 1"}, images.LOST),
        ({"key": f"{BASE}products/tent-1.jpg 1"}, images.LOST),
        ({"value": "x" * 513}, images.NOT_ONE_LINE),
        ({"value": "Two\nlines"}, images.NOT_ONE_LINE),
        ({"value": "  "}, images.NOT_ONE_LINE),
        ({"value": None, "restore": "{}"}, NOT_OURS),
        ({"value": None, "restore": '{"value":"x","left":"y"}'}, CHANGED),
    ],
)
def test_an_alt_text_that_cannot_be_written_is_refused_with_a_reason(
    standin: Shop, changed: dict[str, Any], reason: str
) -> None:
    outcome = shop().change(describe(**({"value": TEXT} | changed)))
    assert (outcome.state, outcome.reason) == ("refused", reason)
    assert standin.writes == [] and standin.notes() == 0


def test_without_the_scope_the_change_is_refused_and_the_scope_is_named(standin: Shop) -> None:
    standin.scopes = ("write_products",)
    outcome = shop().change(describe(TEXT))
    assert outcome.state == "refused" and "write_files" in (outcome.reason or "")
    standin.scopes = ("write_products", "read_files")
    outcome = shop().change(describe(TEXT))
    assert outcome.state == "refused" and standin.writes == []


# -- changes that come twice, and together -----------------------------------------------------------------


@pytest.mark.parametrize("document", ["FindFiles", "ReadFile", "WriteMetafields", "WriteFile"])
def test_a_retry_after_a_lost_answer_returns_the_first_outcome(standin: Shop, document: str) -> None:
    standin.edit("", f"alt {OWN}", "Old")
    asked = describe(TEXT)
    error = lost(asked, document)
    assert error.sent == (document == "WriteFile") == bool(standin.writes)
    outcome = shop().change(asked)
    assert (outcome.before, outcome.after, stored(standin)) == ("Old", TEXT, TEXT)
    assert len(standin.writes) == 1 and shop().change(asked) == outcome
    assert shop().change(back(outcome)).state == "written" and stored(standin) == "Old"


def test_after_a_lost_answer_a_retry_keeps_a_text_that_an_editor_wrote(standin: Shop) -> None:
    asked = describe(TEXT)
    lost(asked, "WriteFile")
    standin.edit("", f"alt {OWN}", "An editor's")
    outcome = shop().change(asked)
    assert (outcome.state, outcome.reason, stored(standin)) == ("refused", CHANGED, "An editor's")


def test_every_image_of_a_shared_file_reports_the_text_before_the_batch(standin: Shop) -> None:
    standin.edit("", f"alt {TENT}", "Old")
    asked = [describe(TEXT, f"{TENT}?v=1", n, url=f"https://shop.example/products/{n}") for n in range(1, 4)]
    with ThreadPoolExecutor(3) as pool:
        outcomes = list(pool.map(shop().change, asked))
    assert {(one.state, one.before, one.after) for one in outcomes} == {("written", "Old", TEXT)}
    first, *rest = [back(one, 9, src=f"{TENT}?v=1", number=n) for n, one in enumerate(outcomes)]
    assert shop().change(first).after == "Old"
    for one in rest:
        undone = shop().change(one)
        assert (undone.state, undone.before, undone.after, stored(standin, TENT)) == ("written", TEXT, "Old", "Old")


def test_two_different_texts_for_one_file_in_a_batch_are_refused(standin: Shop) -> None:
    shop().change(describe(TEXT, TENT, 1))
    outcome = shop().change(describe("Another", TENT, 2))
    assert (outcome.state, outcome.reason, stored(standin, TENT)) == ("refused", TWO_VALUES, TEXT)


def test_a_change_with_a_lower_sequence_number_for_the_same_image_is_superseded(standin: Shop) -> None:
    shop().change(describe(TEXT, sequence=5))
    assert shop().change(describe("Late", sequence=4)).state == "superseded" and stored(standin) == TEXT
    assert shop().change(describe("Late", TENT, sequence=4)).state == "written"


def test_the_same_change_sent_eight_times_simultaneously_has_one_outcome(standin: Shop) -> None:
    asked = describe(TEXT)
    with ThreadPoolExecutor(8) as pool:
        answers = set(map(repr, pool.map(lambda _: shop().change(asked), range(8))))
    assert answers == {repr(shop().change(asked))} and {write[2] for write in standin.writes} == {TEXT}


# -- files that take their time ----------------------------------------------------------------------------


@pytest.mark.parametrize("cause", ["processing", "locked"])
def test_a_file_that_is_still_processing_is_written_later(standin: Shop, cause: str) -> None:
    setattr(standin.files, cause, 3 if cause == "processing" else 1)
    asked = describe(TEXT)
    with pytest.raises(Unavailable) as caught:
        shop().change(asked)
    assert not caught.value.sent and standin.writes == []
    standin.files.processing = 0
    outcome = shop().change(asked)
    assert (outcome.before, outcome.after, stored(standin)) == ("", TEXT, TEXT)


def test_a_write_waits_until_the_shop_shows_the_new_text(standin: Shop) -> None:
    standin.edit("", f"alt {OWN}", "Old")
    standin.files.slow = 3
    assert shop().change(describe(TEXT)).after == TEXT
    standin.files.slow = 50
    asked = describe("Later", sequence=2)
    with pytest.raises(Unavailable, match="processing") as caught:
        shop().change(asked)
    assert caught.value.sent
    standin.files._old.clear()
    outcome = shop().change(asked)
    assert (outcome.before, outcome.after) == (TEXT, "Later")


def test_a_refusal_quotes_the_message_of_shopify(standin: Shop) -> None:
    standin.misbehave("refuse")
    outcome = shop().change(describe(TEXT))
    assert outcome.state == "refused" and REFUSAL in (outcome.reason or "") and standin.writes == []


# -- hostile answers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("member", "answer"),
    [
        ("files", lambda files: None),
        ("files", lambda files: files | {"nodes": files["nodes"] * 200}),
        ("files", lambda files: files | {"nodes": [{"id": 1}]}),
        ("files", lambda files: files | {"nodes": [{"id": "x" * 300}]}),
        ("files", lambda files: files | {"nodes": [{"id": "x", "image": {"url": "x" * 20_000}}]}),
        ("node", lambda node: node | {"alt": "x" * 20_000}),
        ("node", lambda node: node | {"alt": ["x"]}),
        ("node", lambda node: node | {"fileStatus": "NEW"}),
        ("currentAppInstallation", lambda one: None),
        ("currentAppInstallation", lambda one: {"id": "x" * 300}),
        ("written", lambda one: None),
    ],
)
def test_after_a_malformed_answer_no_text_is_written(
    standin: Shop, monkeypatch: pytest.MonkeyPatch, member: str, answer: Callable[[Any], Any]
) -> None:
    answering(monkeypatch, member, answer)
    with pytest.raises(Unavailable, match="not as Shopify's Admin API does"):
        shop().change(describe(TEXT))
    assert standin.writes == []


def test_a_change_is_refused_if_the_current_alt_text_is_too_long(standin: Shop) -> None:
    standin.edit("", f"alt {OWN}", "x" * 5_000)
    outcome = shop().change(describe(TEXT))
    assert outcome.state == "refused" and "longer than" in (outcome.reason or "") and standin.writes == []


def test_the_search_for_a_file_stops_at_a_limit(standin: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "files", lambda files: files | {"pageInfo": {"hasNextPage": True, "endCursor": None}})
    assert shop().change(describe(TEXT)).state == "written"
    endless = {"hasNextPage": True, "endCursor": "Z2lk"}
    real = Shop._list_files
    monkeypatch.setattr(
        Shop, "_list_files", lambda self, first, query, after=None, **other: real(self, first, query, **other)
    )
    answering(monkeypatch, "files", lambda files: files | {"pageInfo": endless, "nodes": []})
    before = standin.counts["files"]
    outcome = shop().change(describe(TEXT, TENT))
    assert (outcome.state, outcome.reason) == ("refused", images.UNCLEAR)
    assert standin.counts["files"] - before == images.MOST_PAGES


def test_a_corrupt_record_of_an_earlier_write_is_replaced(standin: Shop) -> None:
    shop().change(describe(TEXT))
    (place,) = standin._installation
    for sequence, broken in enumerate(("", "null", "[]", '{"id": 1}', "[" * 50_000), 2):
        standin._installation[place] = broken
        assert shop().change(describe(f"Text {sequence}", sequence=sequence)).state == "written"


def test_writing_an_alt_text_stops_if_others_keep_changing_its_metafield(
    standin: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = {"userErrors": [{"message": "Stale", "code": "STALE_OBJECT", "field": None, "__typename": "UserError"}]}
    monkeypatch.setattr(Shop, "_set", lambda self, metafields: {"__typename": "Payload"} | stale)
    with pytest.raises(Unavailable) as caught:
        shop().change(describe(TEXT))
    assert not caught.value.sent and standin.counts["metafieldsSet"] == shop_keyed.TRIES
