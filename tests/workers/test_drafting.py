"""Drafts of descriptions: made on request, by checks that the assistant cannot get around, and dropped with the page."""

import json
from collections.abc import Callable, Iterator

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.drafts import MOST_KEPT, Draft
from chalicelib.operations import drafts
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import drafts as stored
from chalicelib.store import jobs
from local.standins.assistants import Assistants
from tests import aws
from tests.api import seed
from tests.drafts import KINDS, SECOND, Drafted, drafted, page, passed, text_of
from tests.servers.wire import Connection, WireServer
from tests.workers.audit.websites import audit, html

pytestmark = pytest.mark.usefixtures("store")


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    found = Assistants()
    yield found
    found.stop()


@pytest.fixture
def house(standin: Assistants, monkeypatch: pytest.MonkeyPatch) -> Iterator[Drafted]:
    with drafted(monkeypatch, standin) as found:
        yield found


def refused(ask: Callable[[], object]) -> Refused:
    with pytest.raises(Refused) as caught:
        ask()
    return caught.value


def test_chosen_pages_get_a_draft_with_its_sentences(house: Drafted) -> None:
    chosen = house.page_ids()[:2]
    house.request(*chosen)
    assert not house.standin.exchanges, "the worker asks, not the request"
    house.work()
    assert house.job().ended and house.job().error is None
    assert len(house.standin.exchanges) == 2
    found = stored.load(house.website.id)
    assert found.keys() == set(chosen)
    assert {one.text for one in found.values()} == {text_of("Canvas"), text_of("City")}
    for one in house.shown():
        assert one.text in one.rests_on and one.note is None
        assert one.by == "openai gpt-5-mini-stand-in" and one.at <= clock.now()
