"""Parts of a screen that are asked for at the same time: late, failed and refused ones are said, the rest is shown."""

import threading

import pytest

from chalicelib import api
from chalicelib.http.errors import ApiError
from chalicelib.http.inside import Asker
from chalicelib.web import parts
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser


@pytest.fixture
def gate() -> threading.Event:
    """What a slow part waits for; opened in the end, so that no thread is left."""
    return threading.Event()


def test_each_part_of_a_screen_is_ready_slow_refused_or_failed(
    monkeypatch: pytest.MonkeyPatch, gate: threading.Event
) -> None:
    monkeypatch.setattr(parts, "SECONDS", 0.2)

    def refused() -> None:
        raise ApiError("search_not_connected", "Nothing is connected.")

    def failed() -> None:
        raise RuntimeError("a fault")

    try:
        found = parts.asked({"a": lambda: 1, "slow": gate.wait, "refused": refused, "failed": failed})
    finally:
        gate.set()
    states = {name: part.state for name, part in found.items()}
    assert states == {"a": "ready", "slow": "late", "refused": "refused", "failed": "failed"}
    assert found["a"].value == 1 and found["a"].ready
    assert found["refused"].error is not None and found["refused"].error.code == "search_not_connected"
    assert parts.asked({}) == {}


def test_the_parts_of_a_screen_are_requested_at_the_same_time() -> None:
    both = threading.Barrier(2, timeout=30)
    found = parts.asked({"first": both.wait, "second": both.wait}, patient="first")
    assert found["first"].ready and {part.state for part in found.values()} <= {"ready", "late"}


def test_a_slow_part_that_its_own_link_requests_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, gate: threading.Event
) -> None:
    monkeypatch.setattr(parts, "SECONDS", 0.0)
    timer = threading.Timer(0.3, gate.set)
    timer.start()
    found = parts.asked({"slow": lambda: gate.wait(60)}, patient="slow")
    timer.join()
    assert found["slow"].ready


def test_a_slow_part_of_a_screen_shows_a_link_while_the_rest_is_shown(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch, gate: threading.Event
) -> None:
    seed.settled(house.site)
    ask = Asker.ask

    def slow(self: Asker, endpoint: object, *given: object) -> object:
        if endpoint is api.operations()["read_search_rows"]:
            gate.wait(60)
        if endpoint is api.operations()["list_actions"]:
            raise RuntimeError("a fault")
        return ask(self, endpoint, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Asker, "ask", slow)
    monkeypatch.setattr(parts, "SECONDS", 0.5)
    path = f"/app/sites/{house.site.id}"
    try:
        screen = browser.get(path)
    finally:
        gate.set()
    assert screen.status == 200
    assert "This takes longer than usual." in screen.dom.css_first("#search").text()
    assert screen.dom.css_first("#search a").attributes["href"] == f"{path}?wait=search#search"
    assert "This part could not be loaded." in screen.dom.css_first("#actions").text()
    monkeypatch.setattr(parts, "SECONDS", 30.0)
    again = browser.get(f"{path}?wait=search")
    assert "Final up to" in again.dom.css_first("#search").text()


def test_a_refused_part_shows_the_message_of_the_api(house: House, browser: Browser) -> None:
    screen = browser.get(f"/app/sites/{house.site.id}")
    assert "The website is connected to no search data." in screen.dom.css_first("#search").text()
