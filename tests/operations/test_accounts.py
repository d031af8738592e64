"""Workspaces, people and keys."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from chalicelib import clock
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import OPERATOR, SCOPES, Actor
from chalicelib.domain.webhooks.notices import Notice
from chalicelib.operations import accounts, websites
from chalicelib.operations.errors import Refused
from chalicelib.store import accounts as store
from chalicelib.store import api_keys, notices
from chalicelib.store.transactions import Delete, Write
from tests import aws
from tests.operations.conftest import Team

pytestmark = pytest.mark.usefixtures("store")


def refusal(call: object, *args: object, **kwargs: object) -> str:
    with pytest.raises(Refused) as caught:
        call(*args, **kwargs)  # type: ignore[operator]
    assert caught.value.message.endswith(".")
    return caught.value.code


def authenticate(secret: str) -> api_keys.Auth:
    parts = key_format.parse(secret)
    assert parts is not None
    return api_keys.authenticate(parts.sha256, clock.now())


# -- workspaces


def test_a_created_workspace_has_its_plan_and_is_listed_for_the_operator() -> None:
    second = accounts.create_workspace(OPERATOR, " beta ", "starter")
    first = accounts.create_workspace(OPERATOR, "Acme", "free")
    assert (second.name, second.plan, second.websites, second.people) == ("beta", "starter", 0, 0)
    assert [(row.id, row.name, row.plan) for row in store.list_workspaces()] == [
        (first.id, "Acme", "free"),
        (second.id, "beta", "starter"),
    ]


def test_a_byte_order_mark_is_removed_from_a_workspace_name() -> None:
    assert accounts.create_workspace(OPERATOR, "\ufeffAcme ", "free").name == "Acme"


@pytest.mark.parametrize(
    ("name", "plan", "code"),
    [
        ("", "free", "bad_name"),
        ("a\nb", "free", "bad_name"),
        ("a" * 101, "free", "bad_name"),
        ("A", "gold", "bad_plan"),
    ],
)
def test_a_workspace_needs_a_name_and_an_existing_plan(name: str, plan: str, code: str) -> None:
    assert refusal(accounts.create_workspace, OPERATOR, name, plan) == code
    assert aws.rows("accounts") == []


def test_only_the_operator_can_create_workspaces() -> None:
    assert refusal(accounts.create_workspace, Actor("wsp_1", "usr_1", "owner"), "A", "free") == "not_allowed"


def test_a_changed_plan_is_shown_in_the_workspace_and_in_the_list(team: Team) -> None:
    assert accounts.set_plan(OPERATOR, team.workspace_id, "enterprise").plan == "enterprise"
    assert [row.plan for row in store.list_workspaces()] == ["enterprise"]
    assert refusal(accounts.set_plan, OPERATOR, team.workspace_id, "gold") == "bad_plan"
    assert refusal(accounts.set_plan, OPERATOR, "wsp_none", "free") == "not_found"
    assert len(store.list_workspaces()) == 1


# -- people


def test_people_above_the_limit_of_the_plan_are_refused() -> None:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "free")
    for number in range(2):
        accounts.add_person(OPERATOR, workspace.id, f"p{number}@example.org", "owner")
    with pytest.raises(Refused) as caught:
        accounts.add_person(OPERATOR, workspace.id, "p3@example.org", "member")
    assert caught.value.code == "plan_limit"
    assert "Free has room for 2 people" in caught.value.message
    assert len(store.list_people(workspace.id)) == 2


def test_simultaneous_additions_never_exceed_the_limit_of_the_plan() -> None:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "free")

    def add(number: int) -> bool:
        try:
            accounts.add_person(OPERATOR, workspace.id, f"p{number}@example.org", "member")
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(add, range(8))) == 2
    assert len(store.list_people(workspace.id)) == 2


def test_a_smaller_plan_keeps_existing_people_and_refuses_more(team: Team) -> None:
    accounts.set_plan(OPERATOR, team.workspace_id, "free")
    assert len(store.list_people(team.workspace_id)) == 4
    assert refusal(accounts.add_person, OPERATOR, team.workspace_id, "x@example.org", "member") == "plan_limit"
    accounts.remove_person(OPERATOR, team.workspace_id, team.people["member"])
    assert refusal(accounts.add_person, OPERATOR, team.workspace_id, "x@example.org", "member") == "plan_limit"


def test_an_email_address_is_unique_in_a_workspace_ignoring_case(team: Team) -> None:
    assert refusal(accounts.add_person, OPERATOR, team.workspace_id, "OWNER@example.org", "member") == "person_exists"
    accounts.remove_person(OPERATOR, team.workspace_id, team.people["owner"])
    again = accounts.add_person(OPERATOR, team.workspace_id, "owner@example.org", "owner")
    assert again.id != team.people["owner"]
    assert accounts.existing_workspace(team.workspace_id).people == 4


def test_invalid_addresses_roles_and_workspaces_are_refused(team: Team) -> None:
    assert refusal(accounts.add_person, OPERATOR, team.workspace_id, "nobody", "member") == "bad_email"
    assert refusal(accounts.add_person, OPERATOR, team.workspace_id, "a@example.org", "king") == "bad_role"
    assert refusal(accounts.add_person, OPERATOR, "wsp_none", "a@example.org", "member") == "not_found"
    assert refusal(accounts.set_role, OPERATOR, team.workspace_id, team.people["member"], "king") == "bad_role"
    assert refusal(accounts.set_role, OPERATOR, team.workspace_id, "usr_none", "member") == "not_found"
    assert refusal(accounts.remove_person, OPERATOR, team.workspace_id, "usr_none") == "not_found"


@pytest.mark.parametrize("role", ["member", "client_viewer"])
def test_neither_members_nor_client_viewers_manage_people_keys_or_plan(team: Team, role: str) -> None:
    actor, workspace_id, person_id = team.actor(role), team.workspace_id, team.people[role]
    assert refusal(accounts.add_person, actor, workspace_id, "a@example.org", "member") == "not_allowed"
    assert refusal(accounts.set_role, actor, workspace_id, person_id, "owner") == "not_allowed"
    assert refusal(accounts.remove_person, actor, workspace_id, person_id) == "not_allowed"
    assert refusal(accounts.set_plan, actor, workspace_id, "enterprise") == "not_allowed"
    assert refusal(accounts.create_workspace_key, actor, workspace_id, person_id, ["sites:read"]) == "not_allowed"


def test_people_of_other_workspaces_find_nothing(team: Team) -> None:
    stranger = Actor("wsp_other", "usr_other", "owner")
    key = accounts.create_workspace_key(OPERATOR, team.workspace_id, team.people["owner"], ["sites:read"])
    assert refusal(accounts.set_plan, stranger, team.workspace_id, "free") == "not_found"
    assert refusal(accounts.revoke_key, stranger, key.listed.id) == "not_found"


def test_a_client_viewer_is_added_with_a_list_of_websites(team: Team) -> None:
    site = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    add = accounts.add_person
    assert refusal(add, OPERATOR, team.workspace_id, "a@b.org", "client_viewer") == "bad_site"
    assert refusal(add, OPERATOR, team.workspace_id, "a@b.org", "client_viewer", []) == "bad_site"
    assert refusal(add, OPERATOR, team.workspace_id, "a@b.org", "client_viewer", ["site_none"]) == "bad_site"
    assert refusal(add, OPERATOR, team.workspace_id, "a@b.org", "member", [site.id]) == "bad_site"
    person = add(OPERATOR, team.workspace_id, "a@b.org", "client_viewer", [site.id, site.id])
    assert accounts.existing_person(team.workspace_id, person.id).site_ids == [site.id]


def test_a_client_viewer_can_be_given_no_website_of_another_workspace(team: Team) -> None:
    other = accounts.create_workspace(OPERATOR, "Beta", "free")
    foreign = websites.add(OPERATOR, other.id, "https://example.org")
    person = team.people["client_viewer"]
    assert refusal(accounts.set_role, OPERATOR, team.workspace_id, person, "client_viewer", [foreign.id]) == "bad_site"
    assert accounts.existing_person(team.workspace_id, person).site_ids == []


def test_writes_that_belong_together_are_never_split_over_two_transactions(monkeypatch: pytest.MonkeyPatch) -> None:
    parts: list[list[Write]] = []
    monkeypatch.setattr(accounts, "MAX_WRITES", 4)
    monkeypatch.setattr(accounts, "commit", lambda writes: parts.append(list(writes)))
    one, two, three, four, five, six = (Delete("accounts", (str(number), "")) for number in range(6))
    accounts._commit_in_order([[one], [two], [three], [four, five], [six]])
    assert parts == [[one, two, three], [four, five, six]]


# -- keys


def test_a_key_is_shown_once_and_only_its_hash_is_stored(team: Team) -> None:
    new = accounts.create_workspace_key(
        team.actor("owner"), team.workspace_id, team.people["owner"], ["audits:run", "sites:read"]
    )
    assert new.secret.startswith("wos_ws_")
    (listed,) = api_keys.list_all(team.workspace_id)
    assert (listed.id, listed.prefix, listed.last4) == (new.listed.id, "wos_ws_", new.secret[-4:])
    assert (list(listed.scopes), listed.site_ids) == (["sites:read", "audits:run"], None)
    assert new.secret not in str(aws.rows("accounts"))
    auth = authenticate(new.secret)
    assert (auth.key_id, auth.scopes, auth.role) == (listed.id, ("sites:read", "audits:run"), "owner")


def test_a_website_key_covers_one_website_with_every_scope(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    new = accounts.create_website_key(OPERATOR, website.id, team.people["member"])
    assert new.secret.startswith("wos_site_")
    auth = authenticate(new.secret)
    assert (auth.kind, auth.site_ids, auth.scopes) == ("website", (website.id,), tuple(SCOPES))
    assert refusal(accounts.create_website_key, OPERATOR, "site_none", team.people["member"]) == "not_found"


def test_a_key_for_selected_websites_does_not_cover_other_websites(team: Team) -> None:
    first, _ = (websites.add(OPERATOR, team.workspace_id, f"https://{n}.example.org") for n in "ab")
    owner = team.people["owner"]
    new = accounts.create_workspace_key(OPERATOR, team.workspace_id, owner, ["sites:read"], [first.id, first.id])
    assert authenticate(new.secret).site_ids == (first.id,)
    other = accounts.create_workspace(OPERATOR, "Other", "free")
    foreign = websites.add(OPERATOR, other.id, "https://example.com")
    for sites in ([foreign.id], [first.id, "site_none"], []):
        assert (
            refusal(accounts.create_workspace_key, OPERATOR, team.workspace_id, owner, ["sites:read"], sites)
            == "bad_site"
        )


def test_invalid_scopes_and_owners_of_a_key_are_refused(team: Team) -> None:
    create, workspace_id, owner = accounts.create_workspace_key, team.workspace_id, team.people["owner"]
    assert refusal(create, OPERATOR, workspace_id, owner, ["sites:write"]) == "bad_scope"
    assert refusal(create, OPERATOR, workspace_id, owner, []) == "bad_scope"
    assert refusal(create, OPERATOR, workspace_id, "usr_none", ["sites:read"]) == "not_found"
    viewer = team.people["client_viewer"]
    assert refusal(create, OPERATOR, workspace_id, viewer, ["sites:read"]) == "cannot_own_keys"
    assert refusal(create, team.actor("owner"), workspace_id, team.people["admin"], ["sites:read"]) == "not_allowed"
    assert api_keys.list_all(workspace_id) == []


def test_edited_scopes_of_a_key_apply_from_the_next_request(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    new = accounts.create_workspace_key(OPERATOR, team.workspace_id, team.people["owner"], ["sites:read"])
    edited = accounts.edit_key(OPERATOR, new.listed.id, scopes=["pages:read"], site_ids=[website.id])
    assert (list(edited.scopes), edited.site_ids) == (["pages:read"], [website.id])
    auth = authenticate(new.secret)
    assert (auth.scopes, auth.site_ids) == (("pages:read",), (website.id,))
    assert accounts.edit_key(OPERATOR, new.listed.id, scopes=["sites:read"]).site_ids == [website.id]
    assert accounts.edit_key(OPERATOR, new.listed.id, all_sites=True).site_ids is None
    assert authenticate(new.secret).site_ids is None
    assert refusal(accounts.edit_key, OPERATOR, new.listed.id, scopes=["nonsense"]) == "bad_scope"
    assert refusal(accounts.edit_key, OPERATOR, "key_none", scopes=["sites:read"]) == "not_found"


def test_a_website_key_cannot_be_moved_to_another_website(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    new = accounts.create_website_key(OPERATOR, website.id, team.people["owner"])
    assert refusal(accounts.edit_key, OPERATOR, new.listed.id, all_sites=True) == "website_key"
    assert refusal(accounts.edit_key, OPERATOR, new.listed.id, site_ids=[website.id]) == "website_key"
    accounts.edit_key(OPERATOR, new.listed.id, scopes=["sites:read"])
    assert authenticate(new.secret).site_ids == (website.id,)


def test_a_revoked_key_stops_working_at_once_and_permanently(team: Team) -> None:
    new = accounts.create_workspace_key(OPERATOR, team.workspace_id, team.people["owner"], ["sites:read"])
    first = accounts.revoke_key(OPERATOR, new.listed.id)
    with pytest.raises(api_keys.KeyUnknown):
        authenticate(new.secret)
    assert accounts.revoke_key(OPERATOR, new.listed.id).revoked_at == first.revoked_at
    assert refusal(accounts.edit_key, OPERATOR, new.listed.id, scopes=["pages:read"]) == "revoked"
    assert len(api_keys.list_all(team.workspace_id)) == 1


def test_a_key_does_not_work_while_its_owner_is_a_client_viewer(team: Team) -> None:
    new = accounts.create_workspace_key(OPERATOR, team.workspace_id, team.people["admin"], ["sites:read"])
    bystander = accounts.create_workspace_key(OPERATOR, team.workspace_id, team.people["owner"], ["sites:read"])
    accounts.set_role(OPERATOR, team.workspace_id, team.people["admin"], "client_viewer")
    assert authenticate(new.secret).owner_state == "lost"
    assert authenticate(bystander.secret).owner_state == "ok"
    assert accounts.set_role(OPERATOR, team.workspace_id, team.people["admin"], "member").role == "member"
    auth = authenticate(new.secret)
    assert (auth.owner_state, auth.role) == ("ok", "member")


def test_a_key_stops_working_permanently_when_its_owner_is_removed(team: Team) -> None:
    new = accounts.create_workspace_key(OPERATOR, team.workspace_id, team.people["admin"], ["sites:read"])
    accounts.remove_person(OPERATOR, team.workspace_id, team.people["admin"])
    assert authenticate(new.secret).owner_state == "lost"
    accounts.add_person(OPERATOR, team.workspace_id, "admin@example.org", "admin")
    assert authenticate(new.secret).owner_state == "lost"


def test_waiting_notices_are_deleted_if_their_person_is_removed(team: Team) -> None:
    member = team.people["member"]
    assert notices.choose(team.workspace_id, member, "daily", "x", clock.now())
    choice = notices.get(team.workspace_id, member)
    assert choice is not None
    told = Notice("evt_1", clock.now(), "site_1", "acme.example", None, "An audit is finished", "It read 3 pages.")
    notices.add(choice, told, clock.now())
    accounts.remove_person(OPERATOR, team.workspace_id, member)
    assert [row for row in aws.rows("webhooks") if member in str(row)] == []


def test_a_revoked_key_stays_revoked_when_its_owner_changes_role(team: Team) -> None:
    new = accounts.create_workspace_key(OPERATOR, team.workspace_id, team.people["admin"], ["sites:read"])
    accounts.revoke_key(OPERATOR, new.listed.id)
    accounts.set_role(OPERATOR, team.workspace_id, team.people["admin"], "client_viewer")
    accounts.set_role(OPERATOR, team.workspace_id, team.people["admin"], "admin")
    with pytest.raises(api_keys.KeyUnknown):
        authenticate(new.secret)


def test_a_role_change_reaches_all_keys_even_if_they_need_several_transactions(team: Team) -> None:
    owner = team.people["owner"]
    secrets = [
        accounts.create_workspace_key(OPERATOR, team.workspace_id, owner, ["sites:read"]).secret for _ in range(103)
    ]
    accounts.set_role(OPERATOR, team.workspace_id, owner, "client_viewer")
    assert {authenticate(secret).owner_state for secret in secrets} == {"lost"}
    accounts.set_role(OPERATOR, team.workspace_id, owner, "owner")
    assert {authenticate(secret).owner_state for secret in secrets} == {"ok"}
    accounts.remove_person(OPERATOR, team.workspace_id, owner)
    assert {authenticate(secret).owner_state for secret in secrets} == {"lost"}


def test_a_key_never_works_if_it_was_created_while_its_owner_lost_access(team: Team) -> None:
    admin = team.people["admin"]

    def create(_: int) -> str | None:
        try:
            return accounts.create_workspace_key(OPERATOR, team.workspace_id, admin, ["sites:read"]).secret
        except Refused:
            return None

    with ThreadPoolExecutor(4) as pool:
        made = pool.map(create, range(8))
        pool.submit(accounts.set_role, OPERATOR, team.workspace_id, admin, "client_viewer").result()
    assert {authenticate(secret).owner_state for secret in made if secret} <= {"lost"}


# -- the last owner


def test_only_the_operator_can_remove_the_last_owner(team: Team) -> None:
    admin, owner = team.actor("admin"), team.people["owner"]
    for call, more in ((accounts.set_role, ("member",)), (accounts.remove_person, ())):
        assert refusal(call, admin, team.workspace_id, owner, *more) == "last_owner"
    accounts.set_role(admin, team.workspace_id, owner, "owner")
    accounts.set_role(admin, team.workspace_id, team.people["member"], "owner")
    accounts.set_role(admin, team.workspace_id, owner, "member")
    accounts.remove_person(OPERATOR, team.workspace_id, team.people["member"])
    assert [one.role for one in store.list_people(team.workspace_id)].count("owner") == 0
