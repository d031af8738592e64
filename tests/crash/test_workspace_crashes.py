"""Killed at any write, what a person does in the workspace's screens is done once or can be done again, and is noted
exactly where it was done."""

import contextlib
import itertools
from collections import Counter
from typing import Literal

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import accounts, endpoints, inviting, reports, sessions, websites, workspace
from chalicelib.settings.reading import forget_settings
from chalicelib.store import api_keys
from chalicelib.store import endpoints as stored_endpoints
from chalicelib.store import reports as stored_reports
from chalicelib.store import sessions as stored_sessions
from local.embedded import MAILBOX
from tests.crash.crashing import Killed, killed_at

pytestmark = [
    pytest.mark.usefixtures("store"),
    pytest.mark.calm("kills at each write in turn, and counts them"),
]

When = Literal["before", "after"]
when_killed = pytest.mark.parametrize("when", ["before", "after"])
SENDER = "audits@example.com"
NEW = "new@example.org"
URL = "https://hooks.example/seo"


def noted(workspace_id: str) -> Counter[str]:
    return Counter(one.act.act for one in workspace.log(OPERATOR, workspace_id, 500))


def new_workspace() -> tuple[str, str]:
    created = accounts.create_workspace(OPERATOR, "Acme", "agency")
    return created.id, accounts.add_person(OPERATOR, created.id, "ada@example.org", "owner").id


@when_killed
def test_an_invitation_that_was_interrupted_by_a_kill_can_be_repeated(
    when: When, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAIL_FROM", SENDER)
    forget_settings()
    MAILBOX.verify(SENDER)
    for number in itertools.count():
        # Each round begins an hour later: invitations are counted by the hour.
        clock.set_offset(clock.offset() + 3_600)
        workspace_id, _ = new_workspace()
        mails = len(MAILBOX.sent())
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            inviting.invite(OPERATOR, workspace_id, NEW, "member", None, "https://seo.example/app")
        found = [one for one in workspace.people(OPERATOR, workspace_id) if one.email == NEW]
        assert found or len(MAILBOX.sent()) == mails
        if found:
            assert found[0].invited_until is not None, "a mail may have been sent"
            sent = inviting.invite_again(OPERATOR, workspace_id, found[0].id, "https://seo.example/app")
        else:
            sent = inviting.invite(OPERATOR, workspace_id, NEW, "member", None, "https://seo.example/app")
        assert sent.problem is None
        assert accounts.existing_person(workspace_id, sent.person.id).invited_until is not None
        assert accounts.existing_workspace(workspace_id).people == 2
        assert noted(workspace_id)["person.added"] == 2, "the owner and who was invited"
        (link,) = [word for word in MAILBOX.sent()[-1].text.split() if "token=" in word]
        assert sessions.use_link(link.partition("token=")[2]).email == NEW
        assert [one.workspace_id for one in stored_sessions.workspaces(NEW)].count(workspace_id) == 1
        if counter.count == number:  # it ran to its end
            break
    assert number == 4
    monkeypatch.undo()
    forget_settings()


@when_killed
def test_keys_and_the_activity_log_agree_after_a_kill(when: When) -> None:
    for number in itertools.count():
        workspace_id, person_id = new_workspace()
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            new = accounts.create_workspace_key(OPERATOR, workspace_id, person_id, ["sites:read"], None, "Reports")
            accounts.revoke_key(OPERATOR, new.listed.id)
        listed = api_keys.list_all(workspace_id)
        revoked = [one for one in listed if one.revoked_at is not None]
        assert noted(workspace_id)["key.made"] == len(listed) <= 1
        assert noted(workspace_id)["key.revoked"] == len(revoked)
        for one in listed:
            accounts.revoke_key(OPERATOR, one.id)
        assert noted(workspace_id)["key.revoked"] == len(listed)
        if counter.count == number:
            break
    assert number == 2


@when_killed
def test_webhook_endpoints_and_the_activity_log_agree_after_a_kill(when: When) -> None:
    for number in itertools.count():
        workspace_id, _ = new_workspace()
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            endpoint = endpoints.add(OPERATOR, workspace_id, URL, ["audit.finished"]).endpoint
            endpoints.ping(OPERATOR, workspace_id, endpoint.id)
            endpoints.switch_off(OPERATOR, workspace_id, endpoint.id)
            endpoints.switch_on(OPERATOR, workspace_id, endpoint.id)
            endpoints.edit(OPERATOR, workspace_id, endpoint.id, None, ["issue.resolved"])
            endpoints.remove(OPERATOR, workspace_id, endpoint.id)
        left, acts = stored_endpoints.list_all(workspace_id), noted(workspace_id)
        assert acts["endpoint.added"] - acts["endpoint.removed"] == len(left) <= 1
        for one in left:
            expected = "off" if acts["endpoint.off"] > acts["endpoint.on"] else "on"
            assert one.state == expected
            assert (one.events == ["issue.resolved"]) == (acts["endpoint.edited"] == 1)
        if counter.count == number:
            break
    assert number >= 6


@when_killed
def test_report_links_and_the_activity_log_agree_after_a_kill(when: When) -> None:
    for number in itertools.count():
        workspace_id, _ = new_workspace()
        site_id = websites.add(OPERATOR, workspace_id, "https://example.org").id
        token = None
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            token = reports.share(OPERATOR, site_id, 7).token
            reports.take_back(OPERATOR, site_id, stored_reports.list_open(site_id)[0].key)
        left, acts = stored_reports.list_open(site_id), noted(workspace_id)
        assert acts["report.shared"] - acts["report.taken_back"] == len(left) <= 1
        assert token is None or (reports.opened(token) is not None) == bool(left)
        for one in left:
            reports.take_back(OPERATOR, site_id, one.key)
        assert stored_reports.list_open(site_id) == []
        assert noted(workspace_id)["report.taken_back"] == acts["report.shared"]
        if counter.count == number:
            break
    assert number == 2


@when_killed
def test_report_branding_and_the_activity_log_agree_after_a_kill(when: When) -> None:
    for number in itertools.count():
        workspace_id, _ = new_workspace()
        with contextlib.suppress(Killed), killed_at(number, when) as counter:
            reports.brand(OPERATOR, workspace_id, "Agency", "#123456")
        kept = accounts.existing_workspace(workspace_id)
        chosen = (kept.report_name, kept.report_colour)
        assert chosen == (("Agency", "#123456") if noted(workspace_id)["reports.branded"] else (None, None))
        reports.brand(OPERATOR, workspace_id, "Agency", "#123456")
        assert noted(workspace_id)["reports.branded"] == 1, "done again it is noted once"
        if counter.count == number:
            break
    assert number == 1
