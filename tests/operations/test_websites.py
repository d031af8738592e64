"""Adding, editing, pausing, resuming and removing websites."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from chalicelib import clock
from chalicelib.domain.accounts import keys as key_format
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.domain.crawl.weekly import DEFAULT_HOUR, next_weekly_run
from chalicelib.operations import accounts, websites
from chalicelib.operations.errors import Refused
from chalicelib.store import api_keys, items, keys, places, removals, website_names
from chalicelib.store import websites as store
from chalicelib.store.transactions import commit
from chalicelib.workers import imports
from tests import aws
from tests.api import seed
from tests.operations.conftest import Team

pytestmark = pytest.mark.usefixtures("store")


def refusal(call: object, *args: object, **kwargs: object) -> str:
    with pytest.raises(Refused) as caught:
        call(*args, **kwargs)  # type: ignore[operator]
    assert caught.value.message.endswith(".")
    return caught.value.code


def due_websites(now: float) -> list[str]:
    return [site_id for shard in keys.due_shards() for _, site_id in store.list_due(shard, now)[0]]


WEEK = 7 * 86400.0


@pytest.mark.usefixtures("own_week")
def test_adding_a_website_plans_its_first_audit_for_sunday_two_oclock(team: Team) -> None:
    website = websites.add(team.actor("member"), team.workspace_id, "HTTPS://www.Example.org:443/en/../?a=1#top")
    found = store.get(team.workspace_id, website.id)
    assert found is not None
    assert (found.url, found.host, found.name) == ("https://www.example.org/?a=1", "example.org", "example.org")
    assert (found.platform, found.status, found.page_budget) == ("unknown", "active", None)
    assert (found.place, found.summary, found.current_crawl, found.api_starts) == (None, None, None, [])
    assert found.next_audit_at is not None
    planned = datetime.fromtimestamp(found.next_audit_at, UTC)
    assert (planned.weekday(), planned.hour, planned.minute) == (6, 2, 0)
    assert 0 < found.next_audit_at - clock.now() <= WEEK
    assert aws.messages("crawl") == []
    assert aws.rows("crawls") == []
    assert store.workspace_of(website.id) == team.workspace_id


def test_a_port_belongs_to_the_host_and_a_missing_scheme_means_https(team: Team) -> None:
    assert websites.add(OPERATOR, team.workspace_id, "http://demo.test:8080").host == "demo.test:8080"
    assert websites.add(OPERATOR, team.workspace_id, "shop.example.org/path").url == "https://shop.example.org/path"


@pytest.mark.parametrize(
    "url", ["", "ftp://example.org", "https://", "https://user:pw@example.org/", "mailto:a@example.org"]
)
def test_an_invalid_address_is_refused(team: Team, url: str) -> None:
    assert refusal(websites.add, OPERATOR, team.workspace_id, url) == "bad_url"


def test_invalid_names_platforms_and_budgets_are_refused(team: Team) -> None:
    add, url = websites.add, "https://example.org"
    assert refusal(add, OPERATOR, team.workspace_id, url, name=" ") == "bad_name"
    assert refusal(add, OPERATOR, team.workspace_id, url, platform="joomla") == "bad_platform"
    assert refusal(add, OPERATOR, team.workspace_id, url, page_budget=0) == "bad_page_budget"
    assert refusal(add, OPERATOR, team.workspace_id, url, page_budget=1001) == "over_plan_limit"
    assert refusal(add, OPERATOR, "wsp_none", url) == "not_found"
    assert aws.rows("sites") == []
    assert add(OPERATOR, team.workspace_id, url, page_budget=1000).page_budget == 1000


def test_websites_beyond_the_plan_are_refused_even_if_added_at_the_same_time() -> None:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "starter")

    def add(number: int) -> str:
        try:
            websites.add(OPERATOR, workspace.id, f"https://{number}.example.org")
        except Refused as refused:
            return refused.code
        return "added"

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(add, range(8)))
    assert answers.count("added") == 3
    assert set(answers) <= {"added", "plan_limit", "busy"}
    assert len(website_names.list_all(workspace.id)) == 3
    with pytest.raises(Refused, match="Starter has room for 3 websites and this workspace has 3"):
        websites.add(OPERATOR, workspace.id, "https://example.org")


def test_a_smaller_plan_removes_no_website_and_refuses_new_ones() -> None:
    workspace = accounts.create_workspace(OPERATOR, "Acme", "enterprise")
    for number in range(26):
        websites.add(OPERATOR, workspace.id, f"https://{number}.example.org")
    accounts.set_plan(OPERATOR, workspace.id, "free")
    assert len(website_names.list_all(workspace.id)) == 26
    assert refusal(websites.add, OPERATOR, workspace.id, "https://example.org") == "plan_limit"


def test_websites_are_sorted_by_name_ignoring_case_and_accents(team: Team) -> None:
    for name in ("beta", "Alpha", "alpha two", "Ärger", "alpha"):
        websites.add(OPERATOR, team.workspace_id, "https://example.org", name=name)
    names = [row.name for row in website_names.list_all(team.workspace_id)]
    assert names[-5:] == ["Alpha", "alpha", "alpha two", "Ärger", "beta"]


def test_a_renamed_website_is_listed_once_under_its_new_name(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org", name="Old")
    edited = websites.edit(OPERATOR, website.id, name="New", platform="wordpress", page_budget=300)
    assert (edited.name, edited.platform, edited.page_budget) == ("New", "wordpress", 300)
    (row,) = website_names.list_all(team.workspace_id)
    assert (row.id, row.name, row.platform, row.url) == (website.id, "New", "wordpress", "https://example.org/")
    assert websites.edit(OPERATOR, website.id, name="NEW").name == "NEW"
    assert [row.name for row in website_names.list_all(team.workspace_id)] == ["NEW"]
    assert websites.edit(OPERATOR, website.id, page_budget=None).page_budget is None
    assert refusal(websites.edit, OPERATOR, website.id, page_budget=5000) == "over_plan_limit"
    assert refusal(websites.edit, OPERATOR, "site_none", name="X") == "not_found"


def test_simultaneous_edits_are_all_saved(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org", name="Old")
    with ThreadPoolExecutor(3) as pool:
        edits = [
            pool.submit(websites.edit, OPERATOR, website.id, name="New"),
            pool.submit(websites.edit, OPERATOR, website.id, platform="shopify"),
            pool.submit(websites.pause, OPERATOR, website.id),
        ]
        for edit in edits:
            edit.result()
    (row,) = website_names.list_all(team.workspace_id)
    assert (row.name, row.platform, row.status) == ("New", "shopify", "paused")


def test_after_the_weekly_hour_changes_the_next_audit_is_at_least_a_day_away(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    for hour in (0, 50, 167, DEFAULT_HOUR):
        edited = websites.edit(team.actor("member"), website.id, weekly_hour=hour)
        assert edited.weekly_hour == hour
        assert edited.next_audit_at == next_weekly_run(clock.now() + websites.NEXT_AT_LEAST, hour)
    due = websites.edit(OPERATOR, website.id, weekly_hour=50).next_audit_at
    clock.set_offset(WEEK - 3_600)
    assert websites.edit(OPERATOR, website.id, weekly_hour=50, name="Other").next_audit_at == due, "the same hour"
    assert websites.edit(OPERATOR, website.id, weekly_hour=None).weekly_hour is None
    for hour in (-1, 168):
        assert refusal(websites.edit, OPERATOR, website.id, weekly_hour=hour) == "bad_weekly_hour"


def test_a_paused_website_keeps_its_weekly_hour(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    websites.pause(OPERATOR, website.id)
    edited = websites.edit(OPERATOR, website.id, weekly_hour=50)
    assert (edited.status, edited.next_audit_at, edited.weekly_hour) == ("paused", None, 50)
    resumed = websites.resume(OPERATOR, website.id)
    assert resumed.next_audit_at == next_weekly_run(clock.now(), 50)


def test_an_edited_address_is_used_from_the_next_audit(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    edited = websites.edit(OPERATOR, website.id, url="www.example.com/en")
    assert (edited.url, edited.host) == ("https://www.example.com/en", "example.com"), "no audit has answered yet"
    (row,) = website_names.list_all(team.workspace_id)
    assert (row.url, row.host) == (edited.url, edited.host)
    seed.audited(edited)
    moved = websites.edit(OPERATOR, website.id, url="https://example.net/")
    assert (moved.url, moved.host) == ("https://example.net/", "example.com")
    assert refusal(websites.edit, OPERATOR, website.id, url="ftp://example.net") == "bad_url"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://169.254.169.254/latest", "not a public address"),
        ("http://10.0.0.1", "not a public address"),
        ("https://[::1]/", "not a public address"),
        ("https://nowhere.example", "was not found in the DNS"),
        ("https://user:pw@example.org", "not an http or https address"),
        ("https://1.1.1.1:22", "not a port of a website"),
        ("x" * 5_000, "not an http or https address"),
    ],
)
def test_a_private_or_unresolvable_address_is_refused_with_a_reason(url: str, said: str) -> None:
    with pytest.raises(Refused, match=said) as caught:
        websites.in_reach(url)
    assert caught.value.code == "bad_url" and len(caught.value.message) < 400


def test_a_public_address_is_returned_in_its_stored_form() -> None:
    assert websites.in_reach(" HTTP://1.1.1.1/a/../ ") == "http://1.1.1.1/"


def test_a_paused_website_has_no_next_audit(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    assert due_websites(clock.now() + WEEK) == [website.id]
    paused = websites.pause(team.actor("member"), website.id)
    assert (paused.status, paused.next_audit_at) == ("paused", None)
    assert [row.status for row in website_names.list_all(team.workspace_id)] == ["paused"]
    assert due_websites(clock.now() + 2 * WEEK) == []
    clock.set_offset(3 * WEEK)
    resumed = websites.resume(OPERATOR, website.id)
    assert resumed.status == "active"
    assert resumed.next_audit_at is not None and 0 < resumed.next_audit_at - clock.now() <= WEEK
    assert due_websites(clock.now()) == []
    assert due_websites(clock.now() + WEEK) == [website.id]


def test_resuming_a_website_that_is_not_paused_does_not_postpone_its_next_audit(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    clock.set_offset(WEEK)
    assert websites.resume(OPERATOR, website.id).next_audit_at == website.next_audit_at
    assert due_websites(clock.now()) == [website.id]


def test_removing_a_website_removes_its_keys_and_all_its_data(team: Team) -> None:
    kept = websites.add(OPERATOR, team.workspace_id, "https://kept.example.org")
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    of_website = accounts.create_website_key(OPERATOR, website.id, team.people["owner"])
    ticked = accounts.create_workspace_key(
        OPERATOR, team.workspace_id, team.people["owner"], ["sites:read"], [website.id]
    )
    for site_id in (website.id, kept.id):
        for table, pk, sk in (
            ("crawls", f"SITE#{site_id}", f"AUDIT#crawl_{site_id}"),
            ("crawls", f"CRAWL#crawl_{site_id}", "STEP#000000"),
            ("crawls", f"SITE#{site_id}#KEPT", "KEPTHEAD#crawl_1"),
            ("pages", f"SITE#{site_id}#GEN#crawl_{site_id}", "LIST#0000"),
            ("issues", f"SITE#{site_id}", "STATE"),
            ("ai", f"SITE#{site_id}", "READINESS"),
            ("ai", f"SITE#{site_id}", "WRITE#llms_txt"),
        ):
            items.put(table, {"pk": pk, "sk": sk})
    websites.remove(team.actor("admin"), website.id)
    assert store.get(team.workspace_id, website.id) is None
    assert store.workspace_of(website.id) is None
    assert [row.id for row in website_names.list_all(team.workspace_id)] == [kept.id]
    assert accounts.existing_workspace(team.workspace_id).websites == 1
    for table in ("sites", "crawls", "pages", "issues", "ai"):
        left = str(aws.rows(table))
        assert website.id not in left and kept.id in left
    parts = key_format.parse(of_website.secret)
    assert parts is not None
    with pytest.raises(api_keys.KeyUnknown):
        api_keys.authenticate(parts.sha256, clock.now())
    parts = key_format.parse(ticked.secret)
    assert parts is not None
    assert api_keys.authenticate(parts.sha256, clock.now()).site_ids == (website.id,)
    assert refusal(websites.remove, OPERATOR, website.id) == "not_found"


def test_an_interrupted_removal_continues_if_it_is_requested_again(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    items.put("issues", {"pk": f"SITE#{website.id}", "sk": "STATE"})
    commit(removals.removed(website, clock.now()))  # and the process died
    assert store.workspace_of(website.id) is None
    assert refusal(websites.pause, OPERATOR, website.id) == "not_found"
    stranger = Actor("wsp_other", "usr_other", "owner")
    assert refusal(websites.remove, stranger, website.id) == "not_found"
    websites.remove(OPERATOR, website.id)
    assert aws.rows("issues") == []
    assert aws.rows("sites") == []
    assert accounts.existing_workspace(team.workspace_id).websites == 0


def test_a_removal_in_the_background_is_finished_by_its_job(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    items.put("issues", {"pk": f"SITE#{website.id}", "sk": "STATE"})
    websites.remove(team.actor("admin"), website.id, wait=False)
    assert store.workspace_of(website.id) is None and aws.rows("issues") != []
    (message,) = aws.messages("imports")
    assert message == {"siteId": website.id, "jobId": removals.JOB_ID, "kind": "removal"}
    websites.remove(team.actor("admin"), website.id, wait=False)
    assert aws.rows("issues") != [], "asked again, its job is left to do it"
    imports.handle(message, None)
    assert not [table for table in ("issues", "sites", "jobs") if website.id in str(aws.rows(table))]
    imports.handle(message, None)


def test_a_website_cannot_be_removed_during_a_crawl(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    commit([places.take(website, "crawl_1", "audit")])
    with pytest.raises(Refused, match="audit crawl_1 of this website is queued") as caught:
        websites.remove(OPERATOR, website.id)
    assert caught.value.code == "already_running"
    assert store.get(team.workspace_id, website.id) is not None


def test_members_add_and_edit_websites_but_do_not_remove_them(team: Team) -> None:
    website = websites.add(team.actor("member"), team.workspace_id, "https://example.org")
    assert refusal(websites.remove, team.actor("member"), website.id) == "not_allowed"
    assert refusal(websites.add, team.actor("client_viewer"), team.workspace_id, "https://a.org") == "not_allowed"
    assert refusal(websites.edit, team.actor("client_viewer"), website.id, name="X") == "not_allowed"
    assert refusal(websites.pause, Actor("wsp_other", "usr_other", "owner"), website.id) == "not_found"


def test_a_website_and_its_workspace_are_read_in_one_call(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    with aws.counted_calls() as calls:
        found, workspace = store.get_with_workspace(team.workspace_id, website.id)
    assert calls == {"BatchGetItem": 1}
    assert found is not None and found.id == website.id
    assert (workspace.id, workspace.plan) == (team.workspace_id, "agency")


def test_a_website_of_another_workspace_is_not_found(team: Team) -> None:
    other = accounts.create_workspace(OPERATOR, "Other", "free")
    foreign = websites.add(OPERATOR, other.id, "https://example.com")
    assert store.get(team.workspace_id, foreign.id) is None
    assert store.get_with_workspace(team.workspace_id, foreign.id)[0] is None
    assert store.get_many(team.workspace_id, [foreign.id, "site_none"]) == {}
