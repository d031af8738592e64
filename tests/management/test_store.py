"""``store`` on the command line."""

from collections.abc import Callable

import pytest
import typer

import manage
from chalicelib import clock
from chalicelib.store import ownership
from tests import webhooks
from tests.management.conftest import Run
from tests.store.test_migrating import OLD, House


def test_the_command_shows_its_progress(run: Run) -> None:
    House(2)
    assert run("store", "migrate", "--websites", "1")["state"] == "under way"
    last = run("store", "migrate")
    assert (last["state"], last["websites"], last["rewritten"]) == ("done", 2, 2 * len(OLD))
    assert run("store", "create") == {"items": []}


def waiting_delivery() -> str:
    webhooks.endpoint("https://hook.example/")
    webhooks.publish(webhooks.event())
    webhooks.hand_over()
    (delivery,) = webhooks.log()
    return delivery.id


def state_of(delivery_id: str) -> str:
    (found,) = [one for one in webhooks.log() if one.id == delivery_id]
    return found.state


def test_a_held_store_is_released_with_what_is_pending(run: Run) -> None:
    assert run("store", "hold")["state"] == "held"
    assert ownership.is_held()
    delivery = waiting_delivery()
    (pending,) = run("store", "pending")["items"]
    assert (pending["id"], pending["count"], pending["due"]) == ("deliveries", 1, 1)
    assert pending["oldest"].startswith(clock.utc(clock.now()).strftime("%Y-%m-%dT%H:"))
    released = run("store", "release", "--yes")
    assert (released["state"], released["dropped"], released["pending"]) == ("released", {}, [pending])
    assert state_of(delivery) == "waiting" and not ownership.is_held()


def test_kinds_are_dropped_at_the_release(run: Run) -> None:
    delivery = waiting_delivery()
    run("store", "hold")
    assert run("store", "release", "--drop", "deliveries", "--older", "1d", "--yes")["dropped"] == {"deliveries": 0}
    assert state_of(delivery) == "waiting"
    run("store", "hold")
    webhooks.advance(90_000)
    assert run("store", "release", "--drop", "deliveries", "--older", "1d", "--yes")["dropped"] == {"deliveries": 1}
    assert state_of(delivery) == "dropped"


def test_what_is_pending_is_shown_before_the_release_is_confirmed(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("store", "hold")
    waiting_delivery()
    asked: list[str] = []

    def refuse(text: str, **_: object) -> bool:
        asked.append(text)
        raise typer.Abort

    monkeypatch.setattr(typer, "confirm", refuse)
    assert manage.main(["store", "release"]) == 2
    assert "deliveries: 1, 1 due at once, oldest 20" in capsys.readouterr().err
    assert asked == ["This drops nothing and lets the rest happen. Go on?"]
    held = ownership.get()
    assert held is not None and held.held_since is not None


def test_a_release_that_makes_no_sense_is_refused(refused: Callable[..., str]) -> None:
    assert refused("store", "release") == "The workers of this store are not held. `store hold` holds them."
    assert refused("store", "release", "--older", "1d") == "Name the kinds to drop: --older goes with --drop."
    assert refused("store", "release", "--drop", "write", "--older", "soon").startswith("'soon' is not an age")
