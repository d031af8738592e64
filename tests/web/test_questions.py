"""Questions for assistants, and the workspace's own keys for them, in the app."""

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.visibility.prompts import MOST_ACTIVE, MOST_KEPT, Prompt
from chalicelib.operations import accounts, assistant_keys, prompts, workspace
from chalicelib.store import assistant_keys as stored_keys
from chalicelib.store import visibility
from chalicelib.store.transactions import commit
from tests import aws
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, signed_in, viewer

HOSTILE = "</td><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
KEY = "sk-a-key-of-the-workspace-1234"


@pytest.fixture
def path(house: House) -> str:
    return f"/app/sites/{house.site.id}/ai-visibility/questions"


def hidden(screen: Screen, at: int = 0) -> dict[str, str]:
    """The token and nonce of a form."""
    form = screen.dom.css("main form[method=post]")[at]
    return {str(one.attributes["name"]): str(one.attributes["value"]) for one in form.css("[name=token], [name=nonce]")}


def known(house: House) -> list[tuple[str, str | None, bool]]:
    return [(one.text, one.locale, one.active) for one in prompts.list_all(OPERATOR, house.site.id)]


def test_a_question_can_be_added_paused_resumed_and_removed(house: House, browser: Browser, path: str) -> None:
    assert "No questions yet" in browser.get(path).main
    form = hidden(browser.get(path)) | {"add": "1", "text": " Who makes boots? ", "locale": "en-gb"}
    added = browser.follow(browser.post(path, form))
    assert "Added." in added.main and known(house) == [("Who makes boots?", "en-GB", True)]
    (prompt,) = prompts.list_all(OPERATOR, house.site.id)
    for what, said, after in (("pause", "Paused.", False), ("resume", "It is asked again.", True)):
        assert said in browser.follow(browser.post(path, hidden(browser.get(path), 1) | {what: prompt.id})).main
        assert known(house) == [("Who makes boots?", "en-GB", after)]
    gone = browser.follow(browser.post(path, hidden(browser.get(path), 1) | {"remove": prompt.id}))
    assert "Removed." in gone.main and known(house) == []
    assert browser.post(path, hidden(gone) | {"remove": prompt.id}).status == 404
    assert browser.post(path, hidden(gone) | {"steal": prompt.id}).status == 404


def test_a_double_click_adds_one_question_and_duplicates_are_refused(house: House, browser: Browser, path: str) -> None:
    screen = browser.get(path)
    form = hidden(screen) | {"add": "1", "text": "Who makes boots?"}
    with ThreadPoolExecutor(3) as pool:
        answers = {one.status for one in pool.map(lambda _: browser.post(path, form), range(3))}
    assert 303 in answers and answers <= {303, 409} and len(known(house)) == 1
    refused = browser.post(path, hidden(browser.get(path)) | {"add": "1", "text": "who makes BOOTS?"})
    assert refused.status == 422 and "already has this prompt" in refused.main and len(known(house)) == 1


@pytest.mark.parametrize(
    ("text", "locale", "said"),
    [
        ("", "", "this one is empty"),
        ("x" * 301, "", "at most 300"),
        ("Who?", "klingon", "is not a language tag"),
        (HOSTILE * 9, HOSTILE, "A prompt has at most"),
    ],
)
def test_an_error_is_explained_and_keeps_the_values(
    house: House, browser: Browser, path: str, text: str, locale: str, said: str
) -> None:
    refused = browser.post(path, hidden(browser.get(path)) | {"add": "1", "text": text, "locale": locale})
    assert refused.status == 422 and said in refused.main and known(house) == []
    assert not refused.dom.css("img, script:not([src])")
    assert refused.dom.css_first("[name=text]").attributes["value"] == text[:600]


def test_screens_with_the_most_questions_stay_small(house: House, browser: Browser, path: str) -> None:
    every = [
        Prompt(
            id=f"prm_{number:03}", text=f"{number} {HOSTILE * 4}"[:300], locale=None, created_at=1, active=number < 50
        )
        for number in range(MOST_KEPT)
    ]
    commit([visibility.put_prompts(house.site.id, every, visibility.load_prompts(house.site.id))])
    seen = 0
    for offset in ("", "?offset=50", "?offset=100", "?offset=150"):
        screen = browser.get(f"{path}{offset}")
        assert len(screen.text.encode()) <= 80_000 and not screen.dom.css("img, script:not([src])")
        seen += len(screen.dom.css("#known tbody tr"))
    assert seen == MOST_KEPT
    full = browser.post(path, hidden(browser.get(path), 1) | {"resume": "prm_060"})
    assert full.status == 422 and f"at most {MOST_ACTIVE} active prompts" in full.main


def test_proposed_questions_are_shown_on_request_and_added_by_a_click(
    house: House, browser: Browser, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from chalicelib.domain.visibility.proposals import Proposal

    seed.settled(house.site)
    assert not browser.get(path).dom.css("#proposals table")
    assert "Nothing to propose" in browser.get(f"{path}?propose=1").main
    found = [Proposal("How do boots fit?", "en", f"search {HOSTILE}", 3)]
    monkeypatch.setattr("chalicelib.operations.prompts.propose", lambda *_: found)
    screen = browser.get(f"{path}?propose=1")
    assert "How do boots fit?" in screen.main and not screen.dom.css("img, script:not([src])")
    form = screen.dom.css_first("#proposals form")
    fields = {str(one.attributes["name"]): one.attributes["value"] for one in form.css("input[name]")}
    browser.post(path, fields)
    assert known(house) == [("How do boots fit?", "en", True)]


def test_a_viewer_sees_the_questions_but_changes_nothing(house: House, browser: Browser, path: str) -> None:
    prompts.add(OPERATOR, house.site.id, "Who makes boots?")
    client = viewer(house, house.site.id)
    screen = client.get(f"{path}?propose=1")
    assert "Who makes boots?" in screen.main and not screen.dom.css("main form, #proposals")
    token = client.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
    assert client.post(path, {"token": token, "add": "1", "text": "Why?"}).status == 403
    assert len(known(house)) == 1


# -- the workspace's own keys ------------------------------------------------------------------------------

KEYS = "/app/settings/assistants"


def test_an_assistant_key_is_stored_encrypted_and_only_its_end_is_shown(
    house: House, browser: Browser, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    screen = browser.get(KEYS)
    kept = browser.follow(browser.post(KEYS, hidden(screen) | {"do": "put", "provider": "anthropic", "key": KEY}))
    assert "…1234" in kept.main and KEY not in kept.text + caplog.text
    (stored,) = stored_keys.list_all(house.workspace_id)
    assert stored.key().reveal() == KEY and KEY not in str(aws.rows("accounts")) + str(aws.rows("ops"))
    again = browser.post(KEYS, hidden(kept, 1) | {"do": "put", "provider": "anthropic", "key": KEY[:-4] + "5678"})
    assert "…5678" in browser.follow(again).main and "…1234" not in browser.get(KEYS).main
    gone = browser.follow(browser.post(KEYS, hidden(browser.get(KEYS)) | {"do": "remove", "provider": "anthropic"}))
    assert "Forgotten." in gone.main and stored_keys.list_all(house.workspace_id) == []
    noted = [one.act.act for one in workspace.log(OPERATOR, house.workspace_id, 500)]
    assert noted[:3] == ["assistant_key.removed", "assistant_key.kept", "assistant_key.kept"]
    assert KEY not in str(workspace.log(OPERATOR, house.workspace_id, 500))


@pytest.mark.parametrize("key", ["", "short", "a secret with spaces", "sk-secret-\u00e4\u00f6\u00fc", "x" * 501])
def test_an_invalid_key_is_refused_and_not_shown_again(house: House, browser: Browser, key: str) -> None:
    refused = browser.post(KEYS, hidden(browser.get(KEYS)) | {"do": "put", "provider": "openai", "key": key})
    assert refused.status == 422 and "An API key has 8 to" in refused.main
    assert not key or key not in refused.text
    wrong = browser.post(KEYS, hidden(browser.get(KEYS)) | {"do": "put", "provider": "skynet", "key": KEY})
    assert wrong.status == 422 and KEY not in wrong.text and stored_keys.list_all(house.workspace_id) == []


def test_members_and_viewers_cannot_manage_assistant_keys(house: House, browser: Browser) -> None:
    person = accounts.add_person(OPERATOR, house.workspace_id, "member@example.com", "member")
    for other in (signed_in(house, person.id), viewer(house, house.site.id)):
        assert other.get(KEYS).status == 403 and KEYS not in other.get("/app").text
        token = other.get("/app/sessions").dom.css_first("input[name=token]").attributes["value"]
        sent = {"token": token, "do": "put", "provider": "openai", "key": KEY}
        assert other.post(KEYS, sent).status == 403
    assert assistant_keys.list_all(OPERATOR, house.workspace_id) == []
