"""Approved changes that are written through a shop: what is its own way beside what holds of every batch."""

import contextlib
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from chalicelib import clock
from chalicelib.connectors.shop import HttpShop
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.content import ContentItem
from chalicelib.operations import connections
from chalicelib.operations.content import put
from chalicelib.operations.errors import Refused
from chalicelib.workers.writing import sending
from local.standins.cms import Cms
from local.standins.shop import REFUSAL, Shop
from tests.changes import API, House, ShopHouse, open_house
from tests.crash.crashing import Killed

CANONICAL = "SEO-TEC-018"  # a page names two canonical addresses


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[ShopHouse]:
    with open_house(monkeypatch, kind="shop") as found:
        assert isinstance(found, ShopHouse)
        yield found


def written(house: House) -> list[tuple[str, str, str | None]]:
    return house.cms.writes


def test_a_batch_written_through_a_shop_goes_live_and_names_its_source(house: ShopHouse) -> None:
    batch = house.apply({"/a": "All about A"})
    assert batch.source == "shop"
    house.work()
    assert house.statuses(batch) == {"/a": "applied"} and house.held("/a") == "All about A"
    (event,) = house.events("write.applied")
    assert event.fields["source"] == "shop"
    (change,) = event.fields["changes"]
    assert (change["field"], change["value"], change["status"]) == ("title", "All about A", "applied")


def test_a_retry_after_a_killed_worker_keeps_a_value_that_an_editor_wrote_meanwhile(
    house: ShopHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = house.apply({"/a": "Ours"})
    real = HttpShop.change

    def killed(self: HttpShop, message: Any) -> Any:
        real(self, message)
        raise Killed("after it was written")

    with monkeypatch.context() as patch, contextlib.suppress(Killed):
        patch.setattr(HttpShop, "change", killed)
        house.write()
    assert written(house) == [("page:/a", "title", "Ours")]
    house.cms.edit("page:/a", "title", "An editor's")
    house.write()
    assert written(house) == [("page:/a", "title", "Ours")], "nothing was written again"
    assert house.held("/a") == "An editor's"
    change = house.change(batch, "/a")
    assert change.status == "not_live" and change.outcome is not None and change.outcome.before is None
    # To take it back would take the editor's words.
    house.work()
    back = house.undo(batch)
    house.work()
    assert house.held("/a") == "An editor's" and set(house.statuses(back).values()) == {"refused"}


def test_an_undo_restores_the_previous_value(house: ShopHouse) -> None:
    house.cms.edit("page:/a", "title", "")
    house.cms.edit("page:/b", "title", None)
    batch = house.apply({"/a": "A", "/b": "B"})
    house.work()
    house.undo(batch)
    house.work()
    assert (house.held("/b"), house.statuses(batch)) == (None, {"/a": "reverted", "/b": "reverted"})


def test_changes_wait_for_a_shop_at_its_rate_limit_and_are_written_once(
    house: ShopHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = house.apply({path: f"About {path}" for path in house.shop.paths})
    monkeypatch.setattr(clock, "sleep", lambda seconds: None)
    house.cms.misbehave("quota")
    real, asked = Shop.answer, len(house.standin.exchanges)

    def answer(self: Shop, exchange: Any) -> Any:
        if len(self.exchanges) - asked > 40:  # after a while there are points again
            self.fault, self.points = "none", 20_000.0
        return real(self, exchange)

    monkeypatch.setattr(Shop, "answer", answer)
    house.work()
    assert set(house.statuses(batch).values()) == {"applied"}
    assert sorted(written(house)) == [(f"page:{path}", "title", f"About {path}") for path in house.shop.paths]


@pytest.mark.parametrize(("fault", "status", "said"), [("refuse", "refused", REFUSAL), ("fail", "failed", "500")])
def test_a_change_refused_by_the_shop_has_a_reason(house: ShopHouse, fault: str, status: str, said: str) -> None:
    house.cms.misbehave(fault)
    batch = house.apply({"/a": "X"})
    house.work()
    change = house.change(batch, "/a")
    assert change.status == status and said in (change.error or "") and written(house) == []
    assert [event.fields["source"] for event in house.events("write.failed")] == ["shop"]


def test_no_change_is_lost_if_the_token_is_accepted_again_in_time(
    house: ShopHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = house.apply({"/a": "X"})
    house.cms.misbehave("access")
    real, refused = sending._Gate.ask, []

    def ask(self: Any, target: Any, message: Any) -> Any:
        refused.append(message.change_id)
        if len(refused) == 3:
            house.cms.misbehave("none")
        return real(self, target, message)

    monkeypatch.setattr(sending._Gate, "ask", ask)
    house.work()
    assert house.statuses(batch) == {"/a": "applied"} and len(refused) == 3


def test_a_page_known_from_the_previous_cms_is_written_as_an_item_of_the_shop(house: ShopHouse) -> None:
    left = ContentItem(cms_id="page:7", url=house.url("/a"), type="page", status="published", title="A")
    only = msgspec.structs.replace(left, cms_id="page:8", url=house.url("/elsewhere"))
    put(house.current(), [left, only], now=clock.now())
    batch = house.apply({"/a": "X"})
    assert house.change(batch, "/a").cms_id == house.standin.id_of("page:/a")
    house.work()
    assert house.statuses(batch) == {"/a": "applied"}
    with pytest.raises(Refused) as caught:
        house.apply({"/elsewhere": "X"})
    assert caught.value.code == "not_a_cms_post"


def test_canonical_addresses_cannot_be_written_through_a_shop(house: ShopHouse) -> None:
    house.shop.extra["/a"] = "".join(f'<link rel="canonical" href="{house.url(path)}">' for path in ("/a", "/b"))
    house.settle()
    with pytest.raises(Refused) as caught:
        house.apply({"/a": house.url("/a")}, rule=CANONICAL)
    assert caught.value.code == "field_not_supported" and "canonical addresses" in caught.value.message
    assert house.batches() == []


def test_an_undo_goes_to_the_shop_even_if_a_cms_is_connected_now(house: ShopHouse) -> None:
    batch = house.apply({"/a": "All about A"})
    house.write()
    cms = Cms(house.shop)
    try:
        connections.pair(OPERATOR, house.site_id, url=cms.url, code=cms.code(), person_id=house.person_id, base_url=API)
        back = house.undo(batch)
        house.write()
        assert back.source == "shop" and house.statuses(batch) == {"/a": "reverted"}
        assert house.held("/a") is None and cms.writes == []
    finally:
        cms.stop()


def test_a_change_of_a_shop_cannot_be_undone_after_the_shop_is_disconnected(house: ShopHouse) -> None:
    batch = house.apply({"/a": "All about A"})
    house.write()
    connections.remove(OPERATOR, house.site_id, "shop")
    with pytest.raises(Refused) as refused:
        house.undo(batch)
    assert refused.value.code == "cms_not_connected" and "no shop" in refused.value.message
