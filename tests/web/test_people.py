"""People are invited, changed and removed in the app; the last owner stays, and nobody does it whose role may not."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib import clock
from chalicelib.domain.accounts import sign_in
from chalicelib.domain.accounts.rights import OPERATOR, RIGHT_WORDS, ROLES, SCOPES
from chalicelib.operations import accounts, websites
from chalicelib.operations.approvals import Approver
from chalicelib.settings.reading import forget_settings
from chalicelib.store import accounts as store
from chalicelib.web.rendering import day, instant
from local.embedded import MAILBOX
from tests.api.client import Client
from tests.api.conftest import House, settle
from tests.changes import House as WrittenHouse
from tests.changes import open_house
from tests.web.conftest import Browser, Screen, signed_in
from tests.web.settings import early_in_the_hour, of_role, sent

PATH = "/app/settings/people"
SENDER = "audits@example.com"
NEW = "new@acme.example"


@pytest.fixture
def mail(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", SENDER)
    forget_settings()
    MAILBOX.verify(SENDER)


@pytest.fixture
def written(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[WrittenHouse]:
    """A website whose CMS is connected, and whose changes are written by the tests."""
    with open_house(monkeypatch) as found:
        yield found


def person(house: House, email: str) -> store.Person | None:
    return next((one for one in store.list_people(house.workspace_id) if one.email == email), None)


def role_of(house: House, person_id: str) -> str:
    found = store.person(house.workspace_id, person_id)
    return "gone" if found is None else found.role


def links() -> list[str]:
    """The paths of the links that were sent, in their order."""
    words = [word for one in MAILBOX.sent() for word in one.text.split() if "/app/sign-in?token=" in word]
    return ["/app" + word.partition("/app")[2] for word in words]


def test_an_invitation_link_signs_in_once_within_seven_days(house: House, browser: Browser, mail: None) -> None:
    form = sent(browser.get(PATH), email=NEW, role="member")
    done = browser.follow(browser.post(PATH, form))
    assert "The invitation is on its way." in done.main and NEW in done.main
    assert browser.post(PATH, form).status == 303 and len(links()) == 1, "the same form sent twice invites once"
    (letter,) = MAILBOX.sent()
    assert "owner@acme.example invites you to the workspace “Acme”" in letter.text
    clock.set_offset(clock.offset() + sign_in.INVITATION_SECONDS - 60)
    guest = Browser()
    opened = guest.get(links()[0])
    assert NEW in opened.main
    guest.follow(guest.submit(opened, "/app/sign-in"))
    assert guest.get("/app").heading == "Acme"
    assert Browser().get(links()[0]).status == 404


def test_an_invitation_ends_after_seven_days_and_another_can_be_sent(
    house: House, browser: Browser, mail: None
) -> None:
    browser.post(PATH, sent(browser.get(PATH), email=NEW, role="member"))
    clock.set_offset(clock.offset() + sign_in.INVITATION_SECONDS + 60)
    assert Browser().get(links()[0]).status == 404
    again = signed_in(house)
    path = f"{PATH}/{person(house, NEW).id}"  # type: ignore[union-attr]
    assert "Another invitation" in again.follow(again.post(path, sent(again.get(path), 1))).main
    assert Browser().get(links()[1]).status == 200


def waiting(screen: Screen) -> list[str]:
    """What the list says of people who have not signed in yet."""
    said = [cell.text() for cell in screen.dom.css("tbody td .faint")]
    return [text for text in said if text.startswith("Invited, not signed in yet.")]


def test_the_list_marks_invited_people_until_they_sign_in(house: House, browser: Browser, mail: None) -> None:
    invited = browser.follow(browser.post(PATH, sent(browser.get(PATH), email=NEW, role="member")))
    until = day(instant(clock.now() + sign_in.INVITATION_SECONDS))
    assert waiting(invited) == [f"Invited, not signed in yet. The invitation ends on {until}."]
    path = f"{PATH}/{person(house, NEW).id}"  # type: ignore[union-attr]
    assert f"The invitation ends on {until}." in browser.get(path).main
    clock.set_offset(clock.offset() + sign_in.INVITATION_SECONDS + 60)
    again = signed_in(house)
    assert waiting(again.get(PATH)) == [f"Invited, not signed in yet. The invitation ended on {until}."]
    again.post(path, sent(again.get(path), 1))
    later = day(instant(clock.now() + sign_in.INVITATION_SECONDS))
    assert waiting(again.get(PATH)) == [f"Invited, not signed in yet. The invitation ends on {later}."]

    guest = Browser()
    guest.follow(guest.submit(guest.get(links()[1]), "/app/sign-in"))
    assert guest.get("/app").status == 200 and waiting(again.get(PATH)) == []
    again.post(path, sent(again.get(path), 1))
    assert len(links()) == 3 and waiting(again.get(PATH)) == [], "who has signed in is not marked again"


def test_nobody_is_offered_an_invitation_for_themselves(house: House, browser: Browser, mail: None) -> None:
    browser.post(PATH, sent(browser.get(PATH), email=NEW, role="member"))
    invited = person(house, NEW)
    assert invited is not None
    assert "Send another invitation" in browser.get(f"{PATH}/{invited.id}").main
    own = browser.get(f"{PATH}/{house.person_id}").main
    assert "You sign in with your e-mail address." in own and "invitation" not in own


def test_people_added_without_a_mail_are_not_marked_as_invited(house: House, browser: Browser) -> None:
    browser.post(PATH, sent(browser.get(PATH), email=NEW, role="member"))
    assert NEW in browser.get(PATH).main and waiting(browser.get(PATH)) == []


def test_an_invitation_that_could_not_be_mailed_leaves_the_mark_as_it_was(
    house: House, browser: Browser, mail: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    until = day(instant(clock.now() + sign_in.INVITATION_SECONDS))
    browser.post(PATH, sent(browser.get(PATH), email=NEW, role="member"))
    clock.set_offset(clock.offset() + 86_400)
    monkeypatch.setenv("MAIL_FROM", "unverified@example.com")
    forget_settings()
    again = signed_in(house)
    path = f"{PATH}/{person(house, NEW).id}"  # type: ignore[union-attr]
    again.post(path, sent(again.get(path), 1))
    again.post(PATH, sent(again.get(PATH), email="second@example.org", role="member"))
    assert person(house, "second@example.org") is not None
    assert waiting(again.get(PATH)) == [f"Invited, not signed in yet. The invitation ends on {until}."]
    assert len(links()) == 1


def test_marking_a_removed_person_as_invited_does_not_bring_the_person_back(house: House) -> None:
    assert not store.invited(house.workspace_id, "usr_gone", clock.now())
    assert not store.arrived(house.workspace_id, "usr_gone")
    assert len(store.list_people(house.workspace_id)) == 1


def test_without_mail_the_screen_says_how_the_person_signs_in(house: House, browser: Browser) -> None:
    added = browser.follow(browser.post(PATH, sent(browser.get(PATH), email=NEW, role="admin")))
    assert f"manage.py people link {house.workspace_id} {NEW}" in added.main
    assert person(house, NEW) is not None and MAILBOX.sent() == []
    path = f"{PATH}/{person(house, NEW).id}"  # type: ignore[union-attr]
    assert browser.post(path, sent(added) | {"do": "invite"}).status == 422


def test_a_failed_invitation_mail_is_reported_and_the_person_is_added(
    house: House, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_FROM", "unverified@example.com")
    forget_settings()
    added = browser.follow(browser.post(PATH, sent(browser.get(PATH), email=NEW, role="admin")))
    assert "No mail was sent" in added.main and person(house, NEW) is not None


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"email": "nobody"}, "is not an e-mail address"),
        ({"email": "é@acme.example"}, "that mail can be sent to"),
        ({"email": "OWNER@acme.example"}, "is already in this workspace"),
        ({"role": "emperor"}, "is not a role"),
        ({"role": "client_viewer"}, "at least one website"),
        ({"role": "client_viewer", "site": ["site_of_others"]}, "There is no website"),
    ],
)
def test_a_refusal_is_explained_and_adds_no_person(
    house: House, browser: Browser, mail: None, changed: dict[str, object], said: str
) -> None:
    form = sent(browser.get(PATH), email=NEW, role="member") | changed
    refused = browser.post(PATH, form)
    assert refused.status == 422 and said in refused.main
    assert sent(refused)["email"] == form["email"]
    assert len(store.list_people(house.workspace_id)) == 1 and MAILBOX.sent() == []


def test_more_people_than_the_plan_allows_are_refused(house: House, browser: Browser) -> None:
    accounts.set_plan(OPERATOR, house.workspace_id, "free")
    accounts.add_person(OPERATOR, house.workspace_id, "second@acme.example", "member")
    refused = browser.post(PATH, sent(browser.get(PATH), email=NEW, role="member"))
    assert refused.status == 422 and "has room for 2 people" in refused.main


def test_the_invitations_of_a_workspace_are_limited(
    house: House, browser: Browser, mail: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    early_in_the_hour()
    monkeypatch.setattr(sign_in, "INVITATIONS_PER_WORKSPACE", 2)
    for number in range(3):
        added = browser.post(PATH, sent(browser.get(PATH), email=f"n{number}@acme.example", role="member"))
    assert added.status == 422 and "Too many invitations" in added.main
    assert len(links()) == 2 and person(house, "n2@acme.example") is None


def test_a_viewer_is_assigned_websites_and_other_roles_see_all(house: House, browser: Browser) -> None:
    client = accounts.add_person(OPERATOR, house.workspace_id, NEW, "client_viewer", [house.site.id])
    path = f"{PATH}/{client.id}"
    form = sent(browser.get(path))
    assert (form["role"], form["site"]) == ("client_viewer", [house.site.id])
    guest = signed_in(house, client.id)
    saved = browser.follow(browser.post(path, form | {"site": [house.other_site.id]}))
    assert "Saved." in saved.main
    assert guest.get(f"/app/sites/{house.site.id}").status == 403
    assert guest.get(f"/app/sites/{house.other_site.id}").status == 200
    browser.post(path, sent(saved) | {"role": "member"})
    assert guest.get(f"/app/sites/{house.site.id}").status == 200
    assert browser.post(path, sent(browser.get(path)) | {"role": "client_viewer", "site": []}).status == 422


def test_removing_a_person_requires_confirmation(house: House, browser: Browser) -> None:
    other = accounts.add_person(OPERATOR, house.workspace_id, NEW, "admin")
    key = accounts.create_workspace_key(OPERATOR, house.workspace_id, other.id, ["sites:read"])
    guest, path = signed_in(house, other.id), f"{PATH}/{other.id}"
    asked = browser.get(f"{path}?ask=remove")
    assert f"Remove {NEW} from this workspace?" in asked.main and role_of(house, other.id) == "admin"
    done = browser.follow(browser.post(path, sent(asked)))
    assert "The person is removed" in done.main and role_of(house, other.id) == "gone"
    assert Client(key.secret).get(f"/sites/{house.site.id}").status == 403
    assert guest.get("/app").heading == "No workspace"
    assert browser.get(path).status == 404


@pytest.mark.parametrize("fields", [{"do": "remove"}, {"do": "role", "role": "admin"}])
def test_the_last_owner_cannot_be_removed_or_demoted(house: House, browser: Browser, fields: dict[str, str]) -> None:
    accounts.add_person(OPERATOR, house.workspace_id, NEW, "admin")
    path = f"{PATH}/{house.person_id}"
    refused = browser.post(path, sent(browser.get(path)) | fields)
    assert refused.status == 422 and "is the only owner" in refused.main
    assert role_of(house, house.person_id) == "owner"


@pytest.mark.parametrize("fields", [{"do": "remove"}, {"do": "role", "role": "member"}])
def test_one_owner_remains_when_two_owners_demote_each_other_at_the_same_time(
    house: House, fields: dict[str, str]
) -> None:
    other = accounts.add_person(OPERATOR, house.workspace_id, NEW, "owner").id
    pairs = [(signed_in(house), other), (signed_in(house, other), house.person_id)]
    forms = [(one, f"{PATH}/{whom}", sent(one.get(f"{PATH}/{whom}")) | fields) for one, whom in pairs]
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda given: given[0].post(*given[1:]), forms))
    roles = [role_of(house, one) for one in (house.person_id, other)]
    assert roles.count("owner") == 1, roles
    assert sorted(answer.status for answer in answers)[0] == 303


@pytest.mark.parametrize("role", ["member", "client_viewer"])
def test_a_role_without_the_right_cannot_see_or_change_people(house: House, browser: Browser, role: str) -> None:
    other = of_role(house, role)
    portfolio = other.get("/app")
    assert "People" not in portfolio.text
    token = portfolio.dom.css_first("input[name=token]").attributes["value"]
    before = [(one.id, one.role) for one in store.list_people(house.workspace_id)]
    for path in (PATH, f"{PATH}/{house.person_id}", f"{PATH}/{before[-1][0]}"):
        assert other.get(path).status == 403
        for do in ("", "role", "invite", "remove"):
            fields = {"token": token, "do": do, "email": NEW, "role": "owner"}
            assert other.post(path, fields).status == 403
    assert [(one.id, one.role) for one in store.list_people(house.workspace_id)] == before


def test_the_people_of_another_workspace_are_not_found(house: House, browser: Browser) -> None:
    others = settle("Others", "others.example")
    path, token = f"{PATH}/{others.person_id}", sent(browser.get(PATH))["token"]
    assert browser.get(path).status == 404
    for do in ("role", "invite", "remove"):
        assert browser.post(path, {"token": token, "do": do, "role": "member"}).status in (404, 422)
    assert role_of(others, others.person_id) == "owner"


def test_the_table_of_roles_lists_the_rights_of_each_role(browser: Browser) -> None:
    rows = [row.css("td") for row in browser.get(PATH).dom.css("#roles tbody tr")]
    assert len(rows) == len(RIGHT_WORDS)
    found = {cells[0].text(): [cell.text() for cell in cells[1:]] for cells in rows}
    assert {len(answers) for answers in found.values()} == {len(ROLES)}
    assert found["Make, edit and revoke API keys; connect a CMS or shop"] == ["yes", "yes", "no", "no"]


def test_hostile_names_are_escaped_in_an_invitation_mail(browser: Browser, mail: None) -> None:
    hostile = "</p><a href=https://evil.example>Win</a>"
    house = settle(hostile, "hostile.example")
    owner = signed_in(house)
    websites.edit(OPERATOR, house.site.id, name=hostile)
    screen = owner.get(PATH)
    assert not screen.dom.css("main a[href='https://evil.example']")
    owner.post(PATH, sent(screen, email=NEW, role="member"))
    assert "<a href=https://evil" not in MAILBOX.sent()[-1].html and hostile in MAILBOX.sent()[-1].text


@pytest.mark.parametrize("ends", ["key", "person"])
def test_unwritten_approvals_are_cancelled_if_their_key_or_person_is_removed(written: WrittenHouse, ends: str) -> None:
    workspace_id = written.website.workspace_id
    boss = accounts.add_person(OPERATOR, workspace_id, "boss@acme.example", "owner")
    key = accounts.create_workspace_key(OPERATOR, workspace_id, written.person_id, SCOPES).listed
    by = Approver(written.person_id, key.id if ends == "key" else None)
    batches = [written.apply({path: "A title"}, by=by) for path in ("/a", "/b")]
    browser = signed_in(House(workspace_id, boss.id, written.website, written.website, ""))
    path = f"/app/settings/keys/{key.id}?ask=revoke" if ends == "key" else f"{PATH}/{written.person_id}?ask=remove"
    assert browser.post(path.partition("?")[0], sent(browser.get(path))).status == 303
    written.write()
    assert [set(written.statuses(batch).values()) for batch in batches] == [{"failed"}, {"failed"}]
