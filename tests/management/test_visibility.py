"""``prompts``, ``sampling`` and a workspace's keys for assistants on the command line."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from local.standins.assistants import KEY, Assistants
from tests.management.conftest import Run
from tests.visibility import Sampled, sampled

Refuses = Callable[..., str]


@pytest.fixture(scope="module")
def standin() -> Iterator[Assistants]:
    found = Assistants()
    yield found
    found.stop()


@pytest.fixture
def house(run: Run, standin: Assistants, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sampled]:
    with sampled(monkeypatch, standin) as found:
        yield found


def test_prompts_can_be_added_listed_paused_resumed_and_removed(run: Run, refused: Refuses, house: Sampled) -> None:
    added = run("prompts", "add", house.site_id, "Which boots?", "--locale", "de-at")
    assert {name: added[name] for name in ("prompt", "locale", "active")} == {
        "prompt": "Which boots?",
        "locale": "de-AT",
        "active": True,
    }
    assert run("prompts", "list", house.site_id) == {"items": [added]}
    assert not run("prompts", "pause", house.site_id, added["id"])["active"]
    assert run("prompts", "resume", house.site_id, added["id"]) == added
    assert run("prompts", "remove", house.site_id, added["id"]) == {"id": added["id"], "removed": True}
    assert run("prompts", "list", house.site_id) == run("prompts", "propose", house.site_id) == {"items": []}
    assert "at most 300" in refused("prompts", "add", house.site_id, "x" * 301)
    assert "no prompt prm_1" in refused("prompts", "pause", house.site_id, "prm_1")


def test_a_dry_run_of_sampling_shows_the_cost_and_asks_nothing(run: Run, refused: Refuses, house: Sampled) -> None:
    assert "no active prompt" in refused("sampling", "run", house.site_id)
    house.add("Which boots?", "Which tents?")
    dry = run("sampling", "run", house.site_id, "--dry-run")
    assert (dry["queued"], dry["answers"], dry["askedThisWeek"], dry["limit"]) == (False, 8, 0, 500)
    assert dry["currency"] == "USD" and dry["estimatedCost"] > 0 and len(dry["providers"]) == 4
    assert not house.standin.exchanges
    assert run("sampling", "run", house.site_id) == {**dry, "queued": True}
    house.until_done()
    assert len(house.standin.exchanges) == 8
    assert "were asked in 2026-W48" in refused("sampling", "run", house.site_id)


def test_a_website_can_be_given_aliases(run: Run, refused: Refuses, house: Sampled) -> None:
    edited = run("websites", "edit", house.site_id, "--alias", "Acme Tools", "--alias", "ACME")
    assert edited["aliases"] == ["Acme Tools", "ACME"]
    assert run("websites", "edit", house.site_id, "--no-alias")["aliases"] == []
    assert "either" in refused("websites", "edit", house.site_id, "--no-alias", "--alias", "Acme")
    assert "is not an alias" in refused("websites", "edit", house.site_id, "--alias", "--")


def test_an_api_key_of_a_workspace_is_set_listed_masked_and_removed(
    run: Run, refused: Refuses, house: Sampled, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n", encoding="utf-8")
    kept = run("connections", "set-workspace", house.workspace_id, "openai", "--file", str(file))
    assert (kept["id"], kept["hint"]) == ("openai", f"…{KEY[-4:]}")
    assert run("connections", "list-workspace", house.workspace_id) == {"items": [kept]}
    assert run("connections", "remove-workspace", house.workspace_id, "openai") == {"id": "openai", "removed": True}
    assert run("connections", "list-workspace", house.workspace_id) == {"items": []}
    missing = refused("connections", "set-workspace", house.workspace_id, "openai", "--file", str(tmp_path / "none"))
    assert "cannot be read" in missing
    assert "hal" in refused("connections", "set-workspace", house.workspace_id, "hal", "--file", str(file))
    file.write_bytes(b"\xff\xfe\x00")
    said = refused("connections", "set-workspace", house.workspace_id, "openai", "--file", str(file))
    assert "An API key has" in said
