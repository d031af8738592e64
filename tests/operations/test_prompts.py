"""Prompts of a website, its aliases, and a workspace's own keys for assistants."""

from datetime import timedelta

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.search import importing
from chalicelib.domain.search.periods import ending
from chalicelib.domain.visibility.calendar import next_sampling
from chalicelib.domain.visibility.prompts import MOST_ACTIVE
from chalicelib.operations import assistant_keys, prompts, websites
from chalicelib.operations.errors import Refused
from chalicelib.store import assistant_keys as stored_keys
from chalicelib.store import items, jobs, keys
from chalicelib.store.secrets import Secret
from chalicelib.store.websites import Website
from local.standins.search_data import PairRow
from tests.api import seed
from tests.operations.conftest import Team
from tests.searched import searched, today

KEY = "sk-a-key-that-nobody-sees"


@pytest.fixture
def site(team: Team) -> Website:
    return websites.add(OPERATOR, team.workspace_id, "https://acme.example/")


def refused(code: str, call: object, *arguments: object, **named: object) -> str:
    with pytest.raises(Refused) as caught:
        call(*arguments, **named)  # type: ignore[operator]
    assert caught.value.code == code
    return caught.value.message


def test_a_prompt_is_added_paused_resumed_and_removed(site: Website) -> None:
    one = prompts.add(OPERATOR, site.id, " Which  boots? ", locale="de-at")
    assert (one.text, one.locale, one.active) == ("Which boots?", "de-AT", True)
    assert not prompts.pause(OPERATOR, site.id, one.id).active
    assert [prompt.active for prompt in prompts.list_all(OPERATOR, site.id)] == [False]
    assert prompts.resume(OPERATOR, site.id, one.id) == one
    prompts.remove(OPERATOR, site.id, one.id)
    assert prompts.list_all(OPERATOR, site.id) == []
    refused("not_found", prompts.pause, OPERATOR, site.id, one.id)


def test_adding_the_first_prompt_plans_the_sampling_of_next_monday(site: Website) -> None:
    assert jobs.get(site.id, prompts.JOB_ID) is None
    prompts.add(OPERATOR, site.id, "Which boots?")
    job = jobs.get(site.id, prompts.JOB_ID)
    assert job is not None and job.due_at == next_sampling(clock.now())
    prompts.add(OPERATOR, site.id, "Which tents?")
    assert jobs.get(site.id, prompts.JOB_ID) == job


def test_an_invalid_prompt_is_refused_and_changes_nothing(site: Website) -> None:
    refused("bad_prompt", prompts.add, OPERATOR, site.id, " ")
    refused("bad_prompt", prompts.add, OPERATOR, site.id, "x" * 301)
    refused("bad_prompt", prompts.add, OPERATOR, site.id, "Which boots?", locale="german")
    prompts.add(OPERATOR, site.id, "Which boots?")
    refused("already_there", prompts.add, OPERATOR, site.id, "which BOOTS?")
    prompts.add(OPERATOR, site.id, "which boots?", locale="en")
    assert len(prompts.list_all(OPERATOR, site.id)) == 2
    refused("not_found", prompts.add, OPERATOR, "site_of_nobody", "Which boots?")


def test_a_website_has_at_most_fifty_active_prompts(site: Website, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompts, "MOST_ACTIVE", 3)
    assert MOST_ACTIVE == 50
    first, *_ = (prompts.add(OPERATOR, site.id, f"Question {number}?") for number in range(3))
    refused("too_many_prompts", prompts.add, OPERATOR, site.id, "Question 4?")
    prompts.pause(OPERATOR, site.id, first.id)
    prompts.add(OPERATOR, site.id, "Question 4?")
    refused("too_many_prompts", prompts.resume, OPERATOR, site.id, first.id)
    monkeypatch.setattr(prompts, "MOST_KEPT", 4)
    prompts.pause(OPERATOR, site.id, prompts.list_all(OPERATOR, site.id)[-1].id)
    refused("too_many_prompts", prompts.add, OPERATOR, site.id, "Question 5?")


def test_read_access_does_not_allow_changing_prompts(team: Team, site: Website) -> None:
    viewer = team.actor("client_viewer")
    refused("not_allowed", prompts.add, viewer, site.id, "Which boots?")
    assert prompts.list_all(viewer, site.id) == []


def test_questions_in_headings_are_proposed_as_prompts_and_not_added(site: Website) -> None:
    assert prompts.propose(OPERATOR, site.id) == []
    seed.audited(site)
    found = prompts.propose(OPERATOR, site.id)
    assert all(proposal.source.startswith("heading on https://acme.example/") for proposal in found)
    assert prompts.list_all(OPERATOR, site.id) == []


def test_proposed_questions_are_ordered_by_search_clicks(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    day = today() - timedelta(3)
    rows = [
        PairRow("which boots keep dry in rain", "https://shop.example/a", 3, 40, 4.0),
        PairRow("wie pflegt man lederschuhe richtig", "https://shop.example/b", 9, 50, 4.0),
        PairRow("buy boots", "https://shop.example/a", 90, 500, 1.0),
    ]
    monkeypatch.setattr(importing, "wanted", lambda final: ending(final, 34))  # fewer days than are kept else
    with searched(monkeypatch, {day: rows}, final=day) as house:
        house.connect()
        house.work()
        prompts.add(OPERATOR, house.site_id, "Which boots keep dry in rain")
        (found,) = prompts.propose(OPERATOR, house.site_id)
    assert found.text == "wie pflegt man lederschuhe richtig"
    assert found.source == "search query, 50 impressions and 9 clicks in 28 days"


def test_aliases_of_a_website_can_be_set(site: Website) -> None:
    assert websites.edit(OPERATOR, site.id, aliases=["Acme  Tools", "ACME", "ACME"]).aliases == ["Acme Tools", "ACME"]
    assert websites.edit(OPERATOR, site.id, name="Acme").aliases == ["Acme Tools", "ACME"]
    refused("bad_alias", websites.edit, OPERATOR, site.id, aliases=["--"])
    refused("bad_alias", websites.edit, OPERATOR, site.id, aliases=["x" * 101])
    refused("bad_alias", websites.edit, OPERATOR, site.id, aliases=[f"Name {number}" for number in range(21)])
    assert websites.edit(OPERATOR, site.id, aliases=[]).aliases == []


def test_an_assistant_key_is_encrypted_and_only_its_end_is_shown(team: Team) -> None:
    kept = assistant_keys.put(OPERATOR, team.workspace_id, "openai", Secret(f"{KEY}\n"))
    assert (kept.provider, kept.hint) == ("openai", "sees")
    row = items.get("accounts", *keys.assistant_key(team.workspace_id, "openai"))
    assert row is not None and KEY not in str(row) and KEY.encode() not in row["sealed"]
    assert KEY not in f"{kept!r}"
    assert assistant_keys.revealed(team.workspace_id) == {"openai": KEY}
    assistant_keys.put(OPERATOR, team.workspace_id, "openai", Secret("another-key"))
    assert assistant_keys.revealed(team.workspace_id) == {"openai": "another-key"}
    assistant_keys.remove(OPERATOR, team.workspace_id, "openai")
    assert assistant_keys.list_all(OPERATOR, team.workspace_id) == []


def test_an_assistant_key_is_not_used_for_another_workspace(team: Team) -> None:
    kept = assistant_keys.put(OPERATOR, team.workspace_id, "openai", Secret(KEY))
    stolen = kept._replace(workspace_id="wsp_other")
    with pytest.raises(Exception, match=r"[Cc]iphertext|context|InvalidCiphertext"):
        stolen.key()
    assert stored_keys.list_all("wsp_other") == []


def test_an_invalid_key_is_refused(team: Team) -> None:
    for text in ("", "short", "with a space in it", "ключ-для-всех", "x" * 501):
        message = refused("bad_credentials", assistant_keys.put, OPERATOR, team.workspace_id, "openai", Secret(text))
        assert not text or text not in message
    refused("bad_provider", assistant_keys.put, OPERATOR, team.workspace_id, "hal", Secret(KEY))
    refused("not_allowed", assistant_keys.put, team.actor("member"), team.workspace_id, "openai", Secret(KEY))
    refused("not_found", assistant_keys.put, OPERATOR, "wsp_nobody", "openai", Secret(KEY))
