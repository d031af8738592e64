"""Whatever an editor does meanwhile, and however often a change is sent: it is answered as the first time, and what the
editor wrote stays."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.connectors.errors import Unavailable
from chalicelib.connectors.shop import HttpShop
from chalicelib.domain.connector.messages import Change, Field, Outcome
from chalicelib.net.calls import Reply
from local.standins.shop import NAME, TOKEN, Exchange, Shop
from local.standins.shop_items import ListShop

PATH = "/admin/api/2026-04/graphql.json"
ITEMS = ("products:1", "collections:1", "pages:1")
FIELDS: tuple[Field, ...] = ("title", "meta_description", "noindex")


class InProcess(HttpShop):
    """A shop that is asked without a network. ``lose``: how many answers to writes are lost from now on."""

    lose = 0
    standin: Shop

    def _post(self, body: bytes, deadline: float) -> Reply:
        headers = {"x-shopify-access-token": TOKEN}
        _, content = type(self).standin.answer(Exchange(PATH, headers, body))
        if type(self).lose and body.startswith(b'{"query":"mutation'):
            type(self).lose -= 1
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
        st.tuples(st.just("send"), st.integers(0, 3), st.booleans()),
        st.tuples(st.just("edit"), st.integers(0, 2), st.booleans()),
        st.tuples(st.just("undo"), st.integers(0, 3), st.booleans()),
    ),
    max_size=12,
)


@given(events, st.sampled_from(ITEMS), st.sampled_from(FIELDS), st.integers(0, 2))
def test_a_repeated_change_is_applied_once_and_keeps_an_editors_value(
    standin: Shop, happens: list[tuple[str, int, bool]], name: str, field: Field, first: int
) -> None:
    def value(number: int, whose: str) -> str | None:
        if field == "noindex":
            return (None, "true", "false")[number % 3]
        return None if number == 0 else f"{whose} {number}"

    shop, standin.points = InProcess(f"https://{NAME}", TOKEN), 20_000.0
    standin.forget_notes()
    standin.edit(name, field, value(first, "Old"))
    item, url = standin.id_of(name), standin.site.entries()[name].url
    answers: dict[int, Outcome] = {}
    sent: set[int] = set()  # whether the answer came or not
    edited: set[int] = set()  # those of them after which an editor has written
    last = -1
    for number, (what, which, lost) in enumerate(happens):
        before = standin.value(name, field)
        if what == "edit":
            standin.edit(name, field, value(which, "Editor's"))
            edited |= sent
            continue
        if what == "undo":
            answer = answers.get(which)
            if answer is None or answer.undo is None or which != last:
                continue
            back = Change(
                change_id=f"u{number}", sequence=10, cms_id=item, url=url, field=field, value=None, restore=answer.undo
            )
            outcome = shop.change(back)
            assert (outcome.state == "written") == (before == answer.after)
            assert standin.value(name, field) == (answer.before if outcome.state == "written" else before)
            return  # its sequence ends what is below
        change = Change(
            change_id=f"c{which}", sequence=which, cms_id=item, url=url, field=field, value=value(which, "Ours")
        )
        InProcess.lose = int(lost)
        try:
            outcome = shop.change(change)
        except Unavailable:
            sent.add(which)
            last = max(last, which)
            continue
        finally:
            InProcess.lose = 0
        if which < last:
            assert outcome.state == "superseded" and standin.value(name, field) == before
            continue
        assert outcome.state == "written" and outcome.after == change.value
        # A removal of which only the first half was done is finished where still stands what stood before.
        finished = change.value is None and before == outcome.before
        now = standin.value(name, field)
        if which in edited:
            assert now == before or (finished and now is None), "an editor's value is not overwritten"
        else:
            assert now == change.value
        assert answers.setdefault(which, outcome) == outcome
        sent.add(which)
        last = max(last, which)
