"""Whatever an editor does to a file or a redirect meanwhile, and however often a change is sent: it happens once, and
what the editor wrote stays."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.connectors.errors import Unavailable
from chalicelib.connectors.shop import HttpShop
from chalicelib.domain.connector.messages import Change, Outcome
from chalicelib.net.calls import Reply
from local.standins.shop import NAME, TOKEN, Exchange, Shop
from local.standins.shop_items import ListShop

PATH = "/admin/api/2026-04/graphql.json"
PAGE, OLD = "https://shop.example/products/1", "https://shop.example/old"
KEYS = {"alt": "https://shop.example/cdn/shop/files/tent-1.jpg 1", "redirect": "/old"}
STORED = {"alt": "alt files/tent-1.jpg", "redirect": "redirect /old"}


class InProcess(HttpShop):
    """A shop that is asked without a network. ``lose``: which of the next requests gets no answer, from 1; 0: none.
    ``unsent``: whether that request does not arrive either."""

    lose = 0
    unsent = False
    standin: Shop

    def _post(self, body: bytes, deadline: float) -> Reply:
        this = type(self)
        this.lose -= 1
        if this.lose == 0 and this.unsent:
            raise Unavailable("the request was lost")
        _, content = this.standin.answer(Exchange(PATH, {"x-shopify-access-token": TOKEN}, body))
        if this.lose == 0:
            raise Unavailable("the answer was lost")
        return Reply(200, {}, json.dumps(content).encode())


@pytest.fixture(scope="module")
def standin() -> Iterator[Shop]:
    found = Shop(ListShop(1))
    InProcess.standin = found
    yield found
    found.stop()


events = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(0, 3), st.integers(0, 6)),
        st.tuples(st.just("edit"), st.integers(0, 2), st.just(0)),
        st.tuples(st.just("undo"), st.integers(0, 3), st.just(0)),
    ),
    max_size=12,
)


def value(field: str, whose: str, number: int) -> str:
    return f"{whose} {number}" if field == "alt" else f"https://shop.example/{whose}-{number}"


@given(events, st.sampled_from(list(KEYS)), st.booleans(), st.booleans())
def test_a_repeated_change_is_applied_once_and_keeps_an_editors_value(
    standin: Shop, happens: list[tuple[str, int, int]], field: str, had: bool, unsent: bool
) -> None:
    shop, standin.points = InProcess(f"https://{NAME}", TOKEN), 20_000.0
    standin.forget_notes()
    standin.redirects.held.clear()
    standin.files.alts.clear()
    InProcess.unsent = unsent

    def now() -> str | None:
        found = standin.value("", STORED[field])
        return f"https://shop.example{found}" if found is not None and found.startswith("/") else found

    def change(number: int, sequence: int, wanted: str | None, restore: str | None = None) -> Change:
        return Change(
            change_id=f"c{number}",
            sequence=sequence,
            cms_id="gid://shopify/Product/1" if field == "alt" else None,
            url=PAGE if field == "alt" else OLD,
            field=field,  # type: ignore[arg-type]
            value=wanted,
            key=KEYS[field],
            restore=restore,
        )

    if had:
        standin.edit("", STORED[field], value(field, "Old", 0))
    answers: dict[int, Outcome] = {}
    began: dict[int, str | None] = {}  # what was there when a change was first sent
    edited: set[int] = set()  # changes after whose first sending an editor wrote
    last = -1
    for number, (what, which, at) in enumerate(happens):
        before = now()
        if what == "edit":
            standin.edit("", STORED[field], value(field, "Editor", number))
            edited |= set(began)
            continue
        if what == "undo":
            answer = answers.get(which)
            if answer is None or answer.undo is None or which != last:
                continue
            outcome = shop.change(change(100 + number, 50, None, answer.undo))
            assert (outcome.state == "written") == (before == value(field, "Ours", which))
            assert now() == (began[which] if outcome.state == "written" else before)
            return  # its sequence ends what is below
        asked = change(which, which, value(field, "Ours", which))
        InProcess.lose = at
        try:
            outcome = shop.change(asked)
        except Unavailable:
            began.setdefault(which, before)
            last = max(last, which) if standin.notes() else last
            assert now() in (before, asked.value)
            continue
        finally:
            InProcess.lose = 0
        if outcome.state == "superseded":
            assert which < last and now() == before
            continue
        if outcome.state == "refused":
            assert which in edited and now() == before, "an editor's value is not overwritten"
            continue
        began.setdefault(which, before)
        assert now() == outcome.after == asked.value
        if which not in edited:
            began[which] = outcome.before or None
            assert answers.setdefault(which, outcome) == outcome
        answers[which] = outcome
        began[which] = outcome.before or None
        last = max(last, which)
    assert len(standin.redirects.held) <= 1
