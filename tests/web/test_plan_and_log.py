"""The plan beside its use, and who did what: people, by keys too, and the operator."""

from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.acts import ACTS, KEPT_DAYS
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, endpoints, websites, workspace
from chalicelib.web.screens import log as log_screen
from tests.api.client import Client
from tests.api.conftest import House, settle
from tests.web.conftest import Browser, Screen, signed_in
from tests.web.settings import early_in_the_hour, of_role, sent

PLAN, LOG = "/app/settings/plan", "/app/settings/log"
NEW = "new@acme.example"
HOSTILE = "</td><script>alert(1)</script><img src=x onerror=alert(1)>"


def rows(screen: Screen, table: str = "main") -> list[list[str]]:
    return [[cell.text().strip() for cell in row.css("td")] for row in screen.dom.css(f"{table} tbody tr")]


def noted(house: House, act: str) -> list[tuple[str | None, str | None, str]]:
    """Who did this, by which key, and to what, newest first."""
    found = workspace.log(OPERATOR, house.workspace_id, 500)
    return [(one.who, one.act.key_id, one.act.about) for one in found if one.act.act == act]


# -- plan


def test_the_plan_is_shown_with_its_usage(house: House, browser: Browser) -> None:
    early_in_the_hour()
    for _ in range(3):
        Client(house.key).get("/sites")
    screen = browser.get(PLAN)
    assert rows(screen, "#use") == [
        ["Websites", "2", "3"],
        ["People", "1", "5"],
        ["Requests of the busiest key this hour", "3", "1,200"],
        ["API keys in force", "1", "–"],
    ]
    assert "Starter yours" in " ".join(cells[0] for cells in rows(screen, "#plans"))
    websites.add(OPERATOR, house.workspace_id, "https://third.example/")
    assert "Websites Full" in rows(browser.get(PLAN), "#use")[0][0]


def test_an_unlimited_plan_shows_no_limit(house: House) -> None:
    accounts.set_plan(OPERATOR, house.workspace_id, "enterprise")
    for one in workspace.keys(OPERATOR, house.workspace_id):
        accounts.revoke_key(OPERATOR, one.key.id)
    found = rows(signed_in(house).get(PLAN), "#use")
    assert found[0] == ["Websites", "2", "no limit"] and found[2][1] == "–" and found[3][1] == "0"


# -- log


def test_a_persons_actions_in_the_app_are_logged_with_their_address(house: House, browser: Browser) -> None:
    browser.post("/app/settings/keys", sent(browser.get("/app/settings/keys"), name="Reports", scope=["sites:read"]))
    (row, *_) = rows(browser.get(LOG))
    assert row[1:3] == ["owner@acme.example", "made an API key"] and row[3].startswith("Reports wos_ws_…")


def test_actions_of_the_operator_and_of_keys_are_attributed_to_them(house: House, browser: Browser) -> None:
    answer = Client(house.key).post(f"/sites/{house.site.id}/audits")
    assert answer.status == 202
    (key,) = workspace.keys(OPERATOR, house.workspace_id)
    assert noted(house, "audit.started") == [("owner@acme.example", key.key.id, "Main")]
    words = browser.get(LOG).main
    assert f"by key {key.key.id}" in words and "the operator of the service" in words


def test_every_action_on_accounts_and_websites_is_logged_once(house: House, browser: Browser) -> None:
    actor = OPERATOR
    person = accounts.add_person(actor, house.workspace_id, NEW, "member")
    accounts.set_role(actor, house.workspace_id, person.id, "admin")
    key = accounts.create_workspace_key(actor, house.workspace_id, person.id, ["sites:read"], None, "K").listed
    accounts.edit_key(actor, key.id, scopes=["ai:read"])
    for _ in range(2):
        accounts.revoke_key(actor, key.id)
    endpoint = endpoints.add(actor, house.workspace_id, "https://hooks.example/?token=s3cret", ["audit.finished"])
    for _ in range(2):
        endpoints.switch_off(actor, house.workspace_id, endpoint.endpoint.id)
    for _ in range(2):
        endpoints.switch_on(actor, house.workspace_id, endpoint.endpoint.id)
    endpoints.edit(actor, house.workspace_id, endpoint.endpoint.id, None, ["issue.resolved"])
    endpoints.ping(actor, house.workspace_id, endpoint.endpoint.id)
    endpoints.remove(actor, house.workspace_id, endpoint.endpoint.id)
    accounts.set_plan(actor, house.workspace_id, "agency")
    websites.edit(actor, house.site.id, name="Renamed")
    websites.remove(actor, house.other_site.id)
    accounts.remove_person(actor, house.workspace_id, person.id)
    for act in (
        *("person.changed", "person.removed", "key.edited", "key.revoked", "endpoint.added", "endpoint.off"),
        *("endpoint.on", "endpoint.edited", "endpoint.tested", "endpoint.removed", "plan.changed", "website.edited"),
        *("website.removed", "workspace.created"),
    ):
        assert len(noted(house, act)) == 1, act
    assert {about for _, _, about in noted(house, "person.added")} == {
        f"{NEW} as member",
        "owner@acme.example as owner",
    }
    assert noted(house, "endpoint.added")[0][2] == "hooks.example", "an address may hold a secret"
    assert {one.act.act for one in workspace.log(OPERATOR, house.workspace_id, 500)} <= ACTS.keys()
    assert len(rows(browser.get(LOG))) > 14


def test_refused_actions_are_not_logged(house: House, browser: Browser) -> None:
    before = len(workspace.log(OPERATOR, house.workspace_id, 500))
    path = f"/app/settings/people/{house.person_id}"
    browser.post(path, sent(browser.get(path)) | {"do": "remove"})
    browser.post("/app/settings/keys", sent(browser.get("/app/settings/keys"), name="X", scope=[]))
    assert len(workspace.log(OPERATOR, house.workspace_id, 500)) == before


def test_a_key_revoked_twice_at_the_same_time_is_logged_once(house: House) -> None:
    (one,) = workspace.keys(OPERATOR, house.workspace_id)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: accounts.revoke_key(OPERATOR, one.key.id), range(4)))
    assert len(noted(house, "key.revoked")) == 1


def test_the_log_can_be_read_page_by_page_without_gaps_or_duplicates(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = endpoints.add(OPERATOR, house.workspace_id, "https://hooks.example/", ["audit.finished"]).endpoint
    for number in range(4):
        endpoints.ping(OPERATOR, house.workspace_id, endpoint.id)
        websites.edit(OPERATOR, house.site.id, name=f"Name {number}")
    whole = [one.act.id for one in workspace.log(OPERATOR, house.workspace_id, 500)]
    monkeypatch.setattr(log_screen, "PER", 3)
    seen, screen = 0, browser.get(LOG)
    while True:
        seen += len(rows(screen))
        after = screen.dom.css_first("a[rel=next]")
        if after is None:
            break
        parts = urlsplit(str(after.attributes["href"]))
        screen = browser.get(f"{parts.path}?{parts.query}")
    assert seen == len(whole) == len(set(whole))
    paged: list[str] = []
    while True:
        part = workspace.log(OPERATOR, house.workspace_id, 3, paged[-1] if paged else None)
        if not part:
            break
        paged += [one.act.id for one in part]
    assert paged == whole


@pytest.mark.parametrize("before", ["x", "act_none", "%00", "a" * 3_000, "../..", "ACT#"])
def test_a_forged_cursor_of_the_log_causes_no_error(browser: Browser, before: str) -> None:
    assert browser.get(f"{LOG}?before={before}").status == 200


def test_logged_names_are_escaped_and_outlive_removed_people(house: House) -> None:
    other = accounts.add_person(OPERATOR, house.workspace_id, NEW, "admin")
    browser = signed_in(house, other.id)
    path = "/app/settings/keys"
    browser.post(path, sent(browser.get(path), name=HOSTILE, scope=["ai:read"]))
    accounts.remove_person(OPERATOR, house.workspace_id, other.id)
    screen = signed_in(house).get(LOG)
    assert not screen.dom.css("main script, main img, [onerror]")
    assert any(row[1] == NEW and row[2] == "made an API key" and HOSTILE in row[3] for row in rows(screen))


def test_log_entries_older_than_400_days_are_gone(house: House) -> None:
    clock.set_offset(clock.offset() + KEPT_DAYS * 86_400 + 60)
    assert workspace.log(OPERATOR, house.workspace_id, 500) == []
    assert "Nothing is noted here" in signed_in(house).get(LOG).main


@pytest.mark.parametrize("path", [PLAN, LOG])
def test_only_owners_and_admins_see_the_plan_and_the_log(house: House, path: str) -> None:
    assert of_role(house, "admin").get(path).status == 200
    for role in ("member", "client_viewer"):
        assert of_role(house, role).get(path).status == 403
    others = settle("Others", "others.example")
    assert "acme.example" not in signed_in(others).get(path).main
