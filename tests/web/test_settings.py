"""Settings of a website: each is kept, what another changed meanwhile stays, and its name removes it."""

from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import index_now, items, keys
from chalicelib.store import websites as records
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website
from chalicelib.web.screens.settings import NOT_ITS_NAME
from tests import aws
from tests.api import seed
from tests.api.conftest import House
from tests.web.conftest import Browser, Screen, signed_in, viewer


@pytest.fixture(autouse=True)
def named(monkeypatch: pytest.MonkeyPatch, settings: None) -> None:
    monkeypatch.setenv("EXTRA_HOSTS", "new.example=1.1.1.1")
    forget_settings()


@pytest.fixture
def path(house: House) -> str:
    return f"/app/sites/{house.site.id}/settings"


def form_of(screen: Screen, what: str) -> dict[str, str]:
    """The fields of the form that does this, as a browser would send them."""
    for form in screen.dom.css("main form[method=post]"):
        fields = {str(one.attributes["name"]): one.attributes.get("value") or "" for one in form.css("input[name]")}
        if fields["do"] == what:
            for one in form.css("textarea"):
                fields[str(one.attributes["name"])] = one.text().removeprefix("\n")
            for one in form.css("select"):
                fields[str(one.attributes["name"])] = str(one.css_first("option[selected]").attributes["value"])
            return fields
    raise AssertionError(f"nothing to {what}")


def kept(house: House) -> Website:
    found = records.get(house.workspace_id, house.site.id)
    assert found is not None
    return found


def test_every_setting_is_saved_and_shown(house: House, browser: Browser, path: str) -> None:
    form = form_of(browser.get(path), "edit")
    typed = {"name": "Other", "address": "new.example/en", "aliases": "Acme Ltd\r\n\r\nACME\r\n", "budget": "77"}
    done = browser.follow(browser.post(path, form | typed | {"day": "2", "hour": "14"}))
    assert "Saved." in done.main and "Wednesdays, 14:00 UTC" in done.main
    found = kept(house)
    assert (found.name, found.url, found.page_budget, found.weekly_hour) == (
        "Other",
        "https://new.example/en",
        77,
        2 * 24 + 14,
    )
    assert found.aliases == ["Acme Ltd", "ACME"]
    again = form_of(done, "edit")
    assert again["aliases"] == "Acme Ltd\nACME" and (again["day"], again["hour"], again["budget"]) == ("2", "14", "77")
    browser.post(path, again | {"budget": "", "aliases": "", "day": "6", "hour": "2"})
    found = kept(house)
    assert (found.page_budget, found.aliases, found.weekly_hour) == (None, [], None)


def test_simultaneous_edits_of_different_settings_are_both_saved(house: House, browser: Browser, path: str) -> None:
    one, other = (form_of(browser.get(path), "edit") for _ in range(2))
    browser.post(path, one | {"name": "Renamed"})
    browser.post(path, other | {"budget": "50"})
    assert (kept(house).name, kept(house).page_budget) == ("Renamed", 50)
    before = kept(house).version
    browser.post(path, form_of(browser.get(path), "edit"))
    assert kept(house).version == before, "nothing was changed"


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"name": ""}, "A name has 1 to"),
        ({"name": "x" * 500}, "A name has 1 to"),
        ({"address": "http://10.0.0.1"}, "not a public address"),
        ({"budget": "many"}, "A page budget must be a whole number"),
        ({"budget": "0"}, "it must be at least 1"),
        ({"budget": "999999999"}, "reads at most"),
        ({"aliases": "\n".join(f"name {number}" for number in range(99))}, "at most"),
        ({"day": "7"}, "a day of the week and an hour"),
        ({"hour": "24"}, "a day of the week and an hour"),
        ({"hour": ""}, "a day of the week and an hour"),
        ({"day": "-1"}, "a day of the week and an hour"),
    ],
)
def test_an_error_is_explained_and_changes_nothing(
    house: House, browser: Browser, path: str, typed: dict[str, str], said: str
) -> None:
    before = kept(house).attribute_values
    refused = browser.post(path, form_of(browser.get(path), "edit") | typed | {"was-name": "Main"})
    assert refused.status == 422 and said in refused.main
    if "day" not in typed and "hour" not in typed:
        assert form_of(refused, "edit").items() >= typed.items(), "what was typed stays"
    assert kept(house).attribute_values == before


def test_pausing_and_resuming_audits_takes_effect_once(house: House, browser: Browser, path: str) -> None:
    form = form_of(browser.get(path), "pause")
    for _ in range(2):
        assert "Paused." in browser.follow(browser.post(path, form)).main
    assert (kept(house).status, kept(house).next_audit_at) == ("paused", None)
    done = browser.follow(browser.post(path, form_of(browser.get(path), "resume")))
    assert "Resumed." in done.main and kept(house).status == "active"
    assert clock.now() < (kept(house).next_audit_at or 0) <= clock.now() + 7 * 86_400


def test_a_website_is_removed_after_typing_its_name_and_deleted_by_a_job(
    house: House, browser: Browser, path: str
) -> None:
    seed.settled(house.site)
    form = form_of(browser.get(path), "remove")
    for typed in ("", "main", "Main!", house.site.host):
        refused = browser.post(path, form | {"confirm": typed})
        assert refused.status == 422 and NOT_ITS_NAME in refused.main
    assert records.get(house.workspace_id, house.site.id) is not None
    done = browser.follow(browser.post(path, form | {"confirm": " Main "}))
    assert "The website is removed." in done.main and house.site.id not in done.text
    assert records.get(house.workspace_id, house.site.id) is None
    assert browser.post(path, form | {"confirm": "Main"}).status == 404
    assert [message["kind"] for message in aws.messages("imports")] == ["removal"]
    assert accounts.existing_workspace(house.workspace_id).websites == 1


def test_a_website_cannot_be_removed_during_an_audit(house: House, browser: Browser, path: str) -> None:
    seed.running(house.site)
    refused = browser.post(path, form_of(browser.get(path), "remove") | {"confirm": "Main"})
    assert refused.status == 409 and "Cancel it" in refused.main
    assert records.get(house.workspace_id, house.site.id) is not None


def test_a_member_can_edit_but_not_remove_a_website(house: House, browser: Browser, path: str) -> None:
    form = form_of(browser.get(path), "remove")
    person = accounts.add_person(OPERATOR, house.workspace_id, "member@example.com", "member")
    member = signed_in(house, person.id)
    screen = member.get(path)
    token = form_of(screen, "edit")["token"]
    with pytest.raises(AssertionError, match="nothing to remove"):
        form_of(screen, "remove")
    refused = member.post(path, form | {"token": token, "confirm": "Main"})
    assert (refused.status, refused.heading) == (403, "No access")
    assert records.get(house.workspace_id, house.site.id) is not None
    assert member.post(path, form_of(screen, "edit") | {"name": "Theirs"}).status == 303
    assert kept(house).name == "Theirs"


def test_a_viewer_can_read_the_settings(house: House, path: str) -> None:
    websites.edit(OPERATOR, house.site.id, weekly_hour=0, aliases=["Acme Ltd"])
    shown = viewer(house, house.site.id).get(path)
    assert "Mondays, 00:00 UTC" in shown.main and "Acme Ltd" in shown.main
    assert not shown.dom.css("main form, main input")


def test_a_forged_form_changes_nothing(house: House, browser: Browser, path: str) -> None:
    for what in ("edit", "pause", "remove"):
        form: dict[str, Any] = form_of(browser.get(path), what) | {"name": "Forged", "confirm": "Main"}
        assert browser.post(path, form | {"token": "forged"}).status == 403
        assert browser.post(path, form, sec_fetch_site="cross-site").status == 403
    assert items.get("sites", *keys.website(house.workspace_id, house.site.id)) is not None
    assert (kept(house).name, kept(house).status) == ("Main", "active")


def test_a_member_can_turn_on_the_notification_of_search_engines(house: House, browser: Browser, path: str) -> None:
    assert "CMS first: its connector" in browser.get(path).main
    refused = browser.post(path, form_of(browser.get(path), "edit") | {"do": "index-now-on"})
    assert refused.status == 409 and "CMS first: its connector" in refused.main
    seed.connected(house.site, files=("llmsTxt", "indexNowKey"))
    on = form_of(browser.get(path), "index-now-on")
    done = browser.follow(browser.post(path, on))
    assert "Search engines are notified of changes from now on." in done.main
    state = index_now.load(house.site.id)
    assert state.goes and state.key is not None and len(state.key) == 32
    commit([index_now.put(house.site.id, state.stopped("The key <b>is gone</b>."), state)])
    stopped = browser.get(path)
    assert "Search engines are not notified of changes: The key <b>is gone</b>." in stopped.main
    browser.post(path, form_of(stopped, "index-now-on"))
    state = index_now.load(house.site.id)
    assert state.goes
    commit([index_now.put(house.site.id, state.waits("IndexNow answered 503."), state)])
    assert "The last try failed, and is made again: IndexNow answered 503." in browser.get(path).main
    done = browser.follow(browser.post(path, form_of(browser.get(path), "index-now-off")))
    assert "Search engines are no longer notified." in done.main and not index_now.load(house.site.id).goes


def test_indexnow_is_not_offered_if_another_plugin_already_notifies_search_engines(
    house: House, browser: Browser, path: str
) -> None:
    seed.connected(house.site, index_now_sender="Rank Math")
    screen = browser.get(path)
    assert "Rank Math already notifies search engines of this website's changes." in screen.main
    with pytest.raises(AssertionError):
        form_of(screen, "index-now-on")


def test_a_viewer_cannot_turn_on_the_notification_of_search_engines(house: House, path: str) -> None:
    seed.connected(house.site, files=("indexNowKey",))
    screen = viewer(house, house.site.id).get(path)
    assert "can be notified of changed pages" in screen.main and 'value="index-now-on"' not in screen.text
