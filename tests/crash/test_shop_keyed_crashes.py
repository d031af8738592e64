"""Killed before or after any request to the shop, alt texts and redirects end as if nothing had happened: each redirect
is written once, and an undo restores what was there."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, Literal

import pytest

from chalicelib.connectors.shop import HttpShop
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import changes
from chalicelib.workers import writes
from tests.changes import Picture, ShopHouse, open_house
from tests.crash.crashing import Killed

FOX, DEN = "/cdn/shop/files/fox.jpg", "/cdn/shop/files/den.jpg"
PICTURES = {"/a": [Picture(FOX), Picture(DEN)], "/b": [Picture(f"{FOX}?width=9")]}
TEXTS = {("/a", f"{FOX} 1"): "A fox", ("/b", f"{FOX}?width=9 1"): "A fox", ("/a", f"{DEN} 1"): "A den"}
MOVED = {"/old": "/a", "/older": "/b"}
WORKER = writes.handle  # what these tests kill

When = Literal["before", "after"]
Act = Callable[[ShopHouse], object]


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[ShopHouse]:
    with open_house(monkeypatch, kind="shop", pictures=PICTURES, broken=dict.fromkeys(MOVED, "More")) as found:
        assert isinstance(found, ShopHouse)
        yield found


@contextlib.contextmanager
def killed_at(number: int | None, when: When) -> Iterator[list[str]]:
    """Kill the worker at the request of this number to the shop; None: at none. The requests, by their first words."""
    real, asked = HttpShop._post, list[str]()

    def post(self: HttpShop, body: bytes, deadline: float) -> Any:
        asked.append(body.decode().split("(")[0])
        strikes = len(asked) - 1 == number
        if strikes and when == "before":
            raise Killed(asked[-1])
        reply = real(self, body, deadline)
        if strikes:
            raise Killed(asked[-1])
        return reply

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HttpShop, "_post", post)
        yield asked


def renew(house: ShopHouse) -> None:
    house.standin.files.alts = {"files/den.jpg": "An old den"}
    house.standin.redirects.held = {"gid://shopify/UrlRedirect/900": ("/older/x", "/c")}
    house.begin_again()
    house.cms.writes.clear()


def outcome(house: ShopHouse) -> dict[str, Any]:
    return {
        "batches": [
            (batch.kind, batch.status, [(one.key, one.value, one.status, one.error) for one in found])
            for batch, found in house.batches()
        ],
        "alts": {path: alt for path, alt in house.standin.files.alts.items() if alt is not None},
        "redirects": house.held_redirects(),
        # Two images of one file may write the same text at the same time.
        "texts": sorted({write for write in house.cms.writes if write[1].startswith("alt")}, key=str),
        "writes": sorted((write for write in house.cms.writes if write[1].startswith("redirect")), key=str),
    }


def killed_everywhere(house: ShopHouse, prepare: Act, act: Act) -> dict[str, Any]:
    renew(house)
    prepare(house)
    act(house)
    with killed_at(None, "before") as asked:
        house.write()
    undisturbed = outcome(house)
    for number in range(len(asked)):
        for when in ("before", "after"):
            renew(house)
            prepare(house)
            act(house)
            with contextlib.suppress(Killed), killed_at(number, when):  # type: ignore[arg-type]
                house.write()
            house.write()
            assert outcome(house) == undisturbed, (number, when)
    return undisturbed


def undo(house: ShopHouse) -> None:
    (batch, _), *_ = house.batches()
    changes.undo(OPERATOR, house.site_id, batch.id)


def written(act: Act) -> Act:
    def done(house: ShopHouse) -> None:
        act(house)
        house.write()

    return done


def nothing(house: ShopHouse) -> None:
    """Nothing is there before."""


def test_alt_texts_of_two_files_are_written_once_despite_kills(house: ShopHouse) -> None:
    ended = killed_everywhere(house, nothing, lambda house: house.describe(TEXTS))
    assert ended["alts"] == {"files/fox.jpg": "A fox", "files/den.jpg": "A den"}
    assert {status for _, _, found in ended["batches"] for *_, status, _ in found} == {"applied"}


def test_an_undo_of_alt_texts_is_done_once_despite_kills(house: ShopHouse) -> None:
    ended = killed_everywhere(house, written(lambda house: house.describe(TEXTS)), undo)
    assert ended["alts"] == {"files/den.jpg": "An old den"}
    assert {one[2] for one in ended["batches"][0][2]} == {"reverted"}


def test_new_redirects_are_created_once_and_existing_ones_kept_despite_kills(house: ShopHouse) -> None:
    ended = killed_everywhere(house, nothing, lambda house: house.redirect(MOVED))
    assert ended["redirects"] == {"/older/x": "/c", **MOVED} and len(ended["writes"]) == 2


def test_an_undo_of_redirects_is_done_once_despite_kills(house: ShopHouse) -> None:
    ended = killed_everywhere(house, written(lambda house: house.redirect(MOVED)), undo)
    assert ended["redirects"] == {"/older/x": "/c"} and len(ended["writes"]) == 4
