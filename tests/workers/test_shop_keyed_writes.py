"""Alt texts and redirects of a shop, from the list to the live page and back: found, approved, written, taken back."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.connectors import shop_keyed
from chalicelib.connectors.shop import HttpShop
from chalicelib.domain import ids
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.batch import Batch
from chalicelib.domain.changes.writability import NO_FILES_SCOPE
from chalicelib.domain.crawl.shop_addresses import NOT_A_FILE
from chalicelib.operations import alt_texts, connections, redirects
from chalicelib.operations.errors import Refused
from chalicelib.operations.redirects import NotAllowed
from chalicelib.rules.missing_addresses import LISTED_BY
from tests import aws
from tests.changes import ALT, Picture, ShopHouse, kinds, open_house
from tests.crash.crashing import Killed

FOX, LOGO = "/cdn/shop/files/fox.jpg", "/cdn/shop/t/3/assets/logo.png"
CAPTION = "A red fox sleeps in the snow beside a fence"
PICTURES = {
    "/a": [Picture(f"{FOX}?v=1", CAPTION), Picture("/cdn/shop/files/den.jpg")],
    "/b": [Picture(f"{FOX}?v=1&width=600"), Picture("/images/map.png")],
    "/c": [Picture(LOGO)],
}
PATHS = ("/a", "/b", "/c")
BROKEN = {"/old/tents.html": "Our tents", "/cart/old": "Old", "/nothing": "More", "/Nothing": "More"}


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[ShopHouse]:
    with open_house(monkeypatch, PATHS, kind="shop", pictures=PICTURES, broken=BROKEN) as found:
        assert isinstance(found, ShopHouse)
        monkeypatch.setattr(shop_keyed, "WAIT", 0.01)
        yield found


def scoped(house: ShopHouse, *scopes: str) -> None:
    house.standin.scopes = scopes
    connections.check(OPERATOR, house.site_id)


def listed(house: ShopHouse) -> dict[str, alt_texts.Listed]:
    """The images of the issue, by the path of their address and its page's."""
    found = alt_texts.look(house.current(), ids.issue_id(house.site_id, ALT), offset=0, limit=20)
    base = house.url("")
    return {f"{one.page.url.removeprefix(base)} {one.src.removeprefix(base)}": one for one in found.shown}


def statuses(house: ShopHouse, batch: Batch) -> list[str]:
    return [change.status for change in house.loaded(batch).changes]


def alts(house: ShopHouse) -> dict[str, list[str]]:
    """What visitors see by page, of images with a text."""
    return {path: sorted(found.values()) for path, found in house.shop.alts.items() if found}


# -- alt texts ---------------------------------------------------------------------------------------------


def test_images_that_are_not_shop_files_are_listed_with_a_reason(house: ShopHouse) -> None:
    found = listed(house)
    reasons = {name: one.reason for name, one in found.items()}
    assert reasons["/b /images/map.png"] == NOT_A_FILE
    assert "part of the theme" in (reasons[f"/c {LOGO}"] or "")
    assert reasons[f"/a {FOX}?v=1"] is reasons["/a /cdn/shop/files/den.jpg"] is None
    assert {name: one.uses for name, one in found.items() if one.uses > 1} == {
        f"/a {FOX}?v=1": 2,
        f"/b {FOX}?v=1&width=600": 2,
    }


def test_an_approved_alt_text_goes_live_on_all_pages_and_can_be_undone(house: ShopHouse) -> None:
    batch = house.describe({("/a", f"{FOX}?v=1 1"): CAPTION, ("/a", "/cdn/shop/files/den.jpg 1"): "A den"})
    assert batch.source == "shop" and batch.field == "alt"
    house.work()
    assert statuses(house, batch) == ["applied", "applied"]
    assert alts(house) == {"/a": ["A den", CAPTION], "/b": [CAPTION]}
    assert "write.applied" in kinds(house)
    undo = house.undo(batch)
    house.work()
    assert (statuses(house, batch), statuses(house, undo)) == (["reverted"] * 2, ["applied"] * 2)
    assert alts(house) == {} and set(house.standin.files.alts.values()) == {None}, "exactly as before"


def test_two_images_of_one_file_share_one_text_which_one_undo_restores(house: ShopHouse) -> None:
    wanted = {("/a", f"{FOX}?v=1 1"): CAPTION, ("/b", f"{FOX}?v=1&width=600 1"): CAPTION}
    house.cms.edit("", "alt files/fox.jpg", "Old")
    with pytest.raises(Refused) as refused:
        house.describe({**wanted, ("/b", f"{FOX}?v=1&width=600 1"): "Another fox"})
    assert refused.value.code == "not_applied" and "all of them the same" in refused.value.message
    batch = house.describe(wanted)
    house.work()
    assert statuses(house, batch) == ["applied", "applied"] and alts(house) == {"/a": [CAPTION], "/b": [CAPTION]}
    house.undo(batch)
    house.work()
    assert statuses(house, batch) == ["reverted", "reverted"] and alts(house) == {"/a": ["Old"], "/b": ["Old"]}


@pytest.mark.parametrize(("page", "key"), [("/b", "/images/map.png 1"), ("/c", f"{LOGO} 1")])
def test_an_image_that_is_not_a_shop_file_cannot_be_approved(house: ShopHouse, page: str, key: str) -> None:
    with pytest.raises(Refused) as refused:
        house.describe({(page, key): "A text"})
    assert refused.value.code == "not_applied" and key.partition(" ")[0] in refused.value.message
    assert house.batches() == []


def test_without_the_file_scope_no_alt_text_can_be_approved(house: ShopHouse) -> None:
    scoped(house, "write_products", "write_content")
    assert {one.reason for one in listed(house).values()} == {NO_FILES_SCOPE}
    asked = len(house.standin.exchanges)
    with pytest.raises(Refused) as refused:
        house.describe({("/a", f"{FOX}?v=1 1"): CAPTION})
    assert (refused.value.code, refused.value.message) == ("field_not_supported", NO_FILES_SCOPE)
    assert len(house.standin.exchanges) == asked


def test_if_the_shop_withdraws_a_scope_after_an_approval_the_refusal_names_the_scope(house: ShopHouse) -> None:
    texts = house.describe({("/a", f"{FOX}?v=1 1"): CAPTION})
    moved = house.redirect({"/nothing": "/a"})
    house.standin.scopes = ("write_products", "write_content")
    house.work()
    for batch, scope in ((texts, "write_files"), (moved, "write_online_store_navigation")):
        (change,) = house.loaded(batch).changes
        assert change.status == "refused" and scope in (change.error or "")
    assert house.cms.writes == []


def test_a_file_that_is_still_being_processed_is_written_later(house: ShopHouse) -> None:
    house.standin.files.processing = 1_000
    batch = house.describe({("/a", f"{FOX}?v=1 1"): CAPTION})
    house.write_once()
    assert statuses(house, batch) == ["approved"] and house.cms.writes == []
    house.standin.files.processing = 0
    house.work()
    assert statuses(house, batch) == ["applied"] and len(house.cms.writes) == 1


def test_an_alt_text_that_visitors_do_not_see_is_not_live(house: ShopHouse) -> None:
    house.cms.misbehave("hide_writes")
    batch = house.describe({("/a", f"{FOX}?v=1 1"): CAPTION})
    house.write()
    assert statuses(house, batch) == ["not_live"]
    house.cms.misbehave("none")
    house.work()
    assert alts(house)["/a"] == [CAPTION]


def test_an_alt_text_for_a_file_deleted_since_the_audit_is_refused(
    house: ShopHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = house.describe({("/a", f"{FOX}?v=1 1"): CAPTION})
    monkeypatch.setattr(house.standin.files, "all", list)
    house.write()
    (change,) = house.loaded(batch).changes
    assert change.status == "refused" and "no file of this name" in (change.error or "")


# -- redirects ---------------------------------------------------------------------------------------------


def test_an_approved_redirect_goes_live_and_can_be_undone(house: ShopHouse) -> None:
    found = redirects.listed(house.current(), 0, 20)
    assert (found.total, found.reason) == (4, None)
    batch = house.redirect({"/old/tents.html": "/a", "/nothing": "/b"})
    assert batch.source == "shop"
    house.work()
    assert statuses(house, batch) == ["applied", "applied"]
    assert house.shop.redirects == {"/old/tents.html": house.url("/a"), "/nothing": house.url("/b")}
    assert redirects.listed(house.current(), 0, 20).total == 2
    assert house.issue(ids.issue_id(house.site_id, LISTED_BY)).status == "open", "one address is left"
    house.undo(batch)
    house.work()
    assert house.shop.redirects == {} and statuses(house, batch) == ["reverted", "reverted"]


def test_redirects_from_reserved_shop_addresses_or_twice_from_one_path_are_refused(house: ShopHouse) -> None:
    with pytest.raises(NotAllowed) as refused:
        house.redirect({"/cart/old": "/a"})
    assert "/cart is one of its own" in refused.value.reasons[house.url("/cart/old")]
    with pytest.raises(NotAllowed) as refused:
        house.redirect({"/nothing": "/a", "/Nothing": "/b"})
    assert "Another chosen address has the same path" in refused.value.reasons[house.url("/Nothing")]
    assert aws.rows("changes") == []


def test_without_the_redirect_scope_no_redirect_can_be_approved(house: ShopHouse) -> None:
    scoped(house, "write_products", "write_files")
    assert redirects.listed(house.current(), 0, 20).reason == redirects.NO_SCOPE
    with pytest.raises(Refused) as refused:
        house.redirect({"/nothing": "/a"})
    assert (refused.value.code, refused.value.message) == ("field_not_supported", redirects.NO_SCOPE)


def test_an_undo_restores_a_redirect_that_was_created_in_the_shop_meanwhile(house: ShopHouse) -> None:
    batch = house.redirect({"/nothing": "/a"})
    house.cms.misbehave("hide_writes")  # visitors of the address get 404 nevertheless
    house.cms.edit("", "redirect /nothing", "/c")
    house.cms.fault = "none"
    house.work()
    assert statuses(house, batch) == ["applied"] and house.held_redirects() == {"/nothing": "/a"}
    house.undo(batch)
    house.work()
    assert house.held_redirects() == {"/nothing": "/c"} and house.standin.counts["urlRedirectCreate"] == 0


@pytest.mark.parametrize("document", [b"CreateRedirect", b"WriteMetafields", b"FindRedirects"])
def test_only_one_redirect_is_created_if_a_worker_is_killed_while_writing_it(
    house: ShopHouse, monkeypatch: pytest.MonkeyPatch, document: bytes
) -> None:
    batch, real = house.redirect({"/nothing": "/a"}), HttpShop._post

    def post(self: HttpShop, body: bytes, deadline: float) -> Any:
        reply = real(self, body, deadline)
        if document in body:
            raise Killed("after it was done")
        return reply

    with monkeypatch.context() as patch:
        patch.setattr(HttpShop, "_post", post)
        with pytest.raises(Killed):
            house.write_once()
    house.work()
    assert statuses(house, batch) == ["applied"] and house.held_redirects() == {"/nothing": "/a"}
    assert house.cms.writes == [("", "redirect /nothing", "/a")]
    house.undo(batch)
    house.work()
    assert house.held_redirects() == {}


def test_a_redirect_is_created_once_even_if_the_answer_is_interrupted(house: ShopHouse) -> None:
    batch = house.redirect({"/nothing": "/a"})
    house.cms.misbehave("partial")
    house.write_once()
    house.cms.misbehave("none")
    house.work()
    assert statuses(house, batch) == ["applied"] and house.cms.writes == [("", "redirect /nothing", "/a")]


def test_a_redirect_refused_by_the_shop_has_a_reason(house: ShopHouse) -> None:
    house.cms.misbehave("refuse")
    batch = house.redirect({"/nothing": "/a"})
    house.work()
    (change,) = house.loaded(batch).changes
    assert change.status == "refused" and "refuses every change" in (change.error or "")
    assert house.events("write.failed")[0].fields["source"] == "shop" and house.held_redirects() == {}
