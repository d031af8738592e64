"""The Sunday run at any time the operator wants it."""

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.domain.crawl.weekly import next_weekly_run
from chalicelib.operations import accounts, audits, websites
from chalicelib.operations.errors import Refused
from chalicelib.operations.weekly import start_all, start_scheduled
from chalicelib.store import crawls, places
from chalicelib.store import websites as store
from chalicelib.store.transactions import commit
from tests import aws
from tests.operations.conftest import Team

pytestmark = pytest.mark.usefixtures("store", "own_week")

DAY = 86400.0


def free_place(team: Team, site_id: str, crawl_id: str) -> None:
    commit([places.free(team.workspace_id, site_id, crawl_id, places.Freeing(None))])


def test_the_weekly_run_starts_all_websites_that_are_not_paused(team: Team) -> None:
    other = accounts.create_workspace(OPERATOR, "Other", "free")
    active = [websites.add(OPERATOR, team.workspace_id, f"https://{n}.example.org") for n in "ab"]
    active.append(websites.add(OPERATOR, other.id, "https://c.example.org"))
    paused = websites.add(OPERATOR, team.workspace_id, "https://paused.example.org")
    websites.pause(OPERATOR, paused.id)
    started = start_all(OPERATOR, clock.now())
    assert {audit.site_id for audit in started} == {website.id for website in active}
    assert {message["crawlId"] for message in aws.messages("crawl")} == {audit.id for audit in started}


def test_running_the_weekly_schedule_twice_starts_each_audit_once(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    (audit,) = start_all(OPERATOR, clock.now())
    assert start_all(OPERATOR, clock.now()) == []
    free_place(team, website.id, audit.id)
    assert start_all(OPERATOR, clock.now()) == []
    assert [header.id for header in crawls.list_audits(website.id, 5)] == [audit.id]


def test_an_early_weekly_run_does_not_replace_the_audit_on_sunday(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    assert website.next_audit_at is not None
    # Thursday before that Sunday.
    (audit,) = start_all(OPERATOR, website.next_audit_at - 3 * DAY)
    free_place(team, website.id, audit.id)
    found = store.get(team.workspace_id, website.id)
    assert found is not None and found.next_audit_at == website.next_audit_at
    sunday = start_scheduled(found, 1000, now=website.next_audit_at)
    assert sunday is not None and sunday.id != audit.id


def test_a_weekly_run_started_early_on_sunday_replaces_the_audit_of_that_day(team: Team) -> None:
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    due = website.next_audit_at
    assert due is not None
    (audit,) = start_all(OPERATOR, due - 3600)
    free_place(team, website.id, audit.id)
    found = store.get(team.workspace_id, website.id)
    assert found is not None
    assert start_scheduled(found, 1000, now=due) is None
    moved = store.get(team.workspace_id, website.id)
    assert moved is not None and moved.next_audit_at == next_weekly_run(due) == due + 7 * DAY


def test_a_late_weekly_audit_sorts_after_an_audit_that_a_person_started(team: Team) -> None:
    """The schedule did not run for three hours, in which a person started an audit."""
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    due = website.next_audit_at
    assert due is not None
    by_person = audits.start(website, 1000, page_budget=None, person_id=None, through_api=False, now=due + 3_600).header
    free_place(team, website.id, by_person.id)
    found = store.get(team.workspace_id, website.id)
    assert found is not None
    late = start_scheduled(found, 1000, now=due + 3 * 3_600)
    assert late is not None and by_person.id < late.id
    assert [header.id for header in crawls.list_audits(website.id, 5)] == [late.id, by_person.id]


def test_a_second_start_for_the_same_day_with_an_outdated_record_starts_nothing(team: Team) -> None:
    """The operator starts all audits early, from a second process that read the website before the first had started
    and ended its audit."""
    website = websites.add(OPERATOR, team.workspace_id, "https://example.org")
    due = website.next_audit_at
    assert due is not None
    first = start_scheduled(website, 1000, now=due - 7_200)
    assert first is not None
    free_place(team, website.id, first.id)
    assert start_scheduled(website, 1000, now=due - 3_600) is None
    assert [header.id for header in crawls.list_audits(website.id, 5)] == [first.id]


def test_only_the_operator_can_start_the_weekly_run(team: Team) -> None:
    with pytest.raises(Refused, match="Only the operator"):
        start_all(Actor(team.workspace_id, team.people["owner"], "owner"), clock.now())
