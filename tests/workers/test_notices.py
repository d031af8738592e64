"""Notices by mail: who is told of what, when, how often, and what the mails say."""

import logging
import re
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.connectors import mail
from chalicelib.connectors.errors import Declined, Unavailable
from chalicelib.domain.accounts.rights import OPERATOR, Actor
from chalicelib.domain.mails import Mail
from chalicelib.domain.webhooks import notices as domain
from chalicelib.domain.webhooks.events import Event
from chalicelib.operations import accounts, websites
from chalicelib.operations import notices as operations
from chalicelib.settings.reading import forget_settings
from chalicelib.store import items, keys
from chalicelib.store import notices as stored
from chalicelib.workers import notices, sweeper
from local import embedded
from local.standins.mail import Sent
from tests import aws, webhooks
from tests.api.conftest import House, settle

APP = "https://seo.example.com/app"
SENDER = "service@demo.example"
OWNER = "owner@acme.example"
MINUTE = 60.0


@pytest.fixture(autouse=True)
def sending(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", SENDER)
    monkeypatch.setenv("APP_URL", APP)
    forget_settings()
    embedded.MAILBOX.verify(SENDER)


@pytest.fixture
def house() -> House:
    return settle()


def owner(house: House) -> Actor:
    return Actor(house.workspace_id, house.person_id, "owner")


def add_viewer(house: House, *site_ids: str) -> Actor:
    person = accounts.add_person(OPERATOR, house.workspace_id, "client@example.com", "client_viewer", site_ids)
    return Actor(house.workspace_id, person.id, "client_viewer")


def finished(house: House, event_id: str = "evt_1", site: Any = None, **fields: object) -> Event:
    of = site or house.site
    members = {
        "status": "done",
        "pagesCrawled": 412,
        "openIssues": 17,
        "score": {"site": 81.4},
        "changes": {"new": 2, "resolved": 1, "reopened": 0},
    }
    link = f"/app/sites/{of.id}/audits/crawl_1"
    return Event(event_id, "audit.finished", clock.now(), house.workspace_id, of.id, of.host, link, members | fields)


def other(house: House, kind: str, event_id: str = "evt_other", **fields: object) -> Event:
    return Event(event_id, kind, clock.now(), house.workspace_id, house.site.id, house.site.host, None, dict(fields))


def happen(*events: Event) -> None:
    webhooks.publish(*events)
    webhooks.hand_over()


def mails() -> list[Sent]:
    return embedded.MAILBOX.sent()


def run_after(seconds: float) -> int:
    webhooks.advance(seconds)
    return notices.run()


def waiting_rows() -> list[tuple[str, str]]:
    return [key for key in aws.rows("webhooks") if key[1].startswith(keys.WAITING_PREFIX)]


def test_a_finished_audit_is_mailed_at_once_with_an_unsubscribe_link(house: House) -> None:
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    assert notices.run() == 1
    (sent,) = mails()
    assert (sent.to, sent.subject) == (OWNER, "An audit is finished: acme.example")
    assert "412 pages were read. The score is 81.4. Issues: 2 new, 1 resolved, 0 back. 17 are open." in sent.text
    assert f"{APP}/sites/{house.site.id}/audits/crawl_1\n" in sent.text and f"{APP}/notices\n" in sent.text
    (stop,) = re.findall(rf"{re.escape(APP)}/notices/off\?token=[\w.-]+", sent.text)
    assert sent.headers == {"List-Unsubscribe": f"<{stop}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    assert run_after(MINUTE) == 0 and waiting_rows() == []


def test_people_who_did_not_choose_notices_get_no_mail(house: House) -> None:
    happen(finished(house))
    assert notices.run() == 0 and waiting_rows() == []


@pytest.mark.parametrize(
    ("kind", "fields", "subject", "said"),
    [
        ("audit.finished", {"status": "failed"}, "An audit failed", "start it again"),
        ("connection.broken", {"connection": "search", "error": "No."}, "A connection is broken", "“search” stopped"),
        (
            "write.not_live",
            {"changes": [{"url": "https://acme.example/a"}, {"url": "https://acme.example/b"}]},
            "A change is not live",
            "2 written changes are not on the live page",
        ),
    ],
)
def test_each_kind_of_notice_has_its_subject_and_text(
    house: House, kind: str, fields: dict[str, object], subject: str, said: str
) -> None:
    operations.choose(owner(house), "at_once")
    happen(other(house, kind, **fields))
    assert notices.run() == 1
    assert mails()[0].subject == f"{subject}: acme.example" and said in mails()[0].text


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("audit.finished", {"status": "cancelled"}),
        ("connection.stale", {"connection": "search", "since": "2026-11-15T02:11:47Z"}),
        ("recheck.failed", {"reason": "not_live"}),
        ("score.changed", {}),
        ("issue.resolved", {}),
    ],
)
def test_an_event_that_only_follows_from_another_mailed_event_is_not_mailed(
    house: House, kind: str, fields: dict[str, object]
) -> None:
    operations.choose(owner(house), "at_once")
    happen(other(house, kind, **fields))
    assert notices.run() == 0 and mails() == []


def test_a_duplicate_event_is_mailed_once(house: House) -> None:
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    notices.run()
    happen(finished(house))
    assert run_after(20 * MINUTE) == 0 and len(mails()) == 1


def test_immediate_mails_are_ten_minutes_apart_and_lose_no_notice(house: House) -> None:
    operations.choose(owner(house), "at_once")
    happen(finished(house, "evt_0"))
    assert notices.run() == 1
    for number in range(1, 4):
        happen(finished(house, f"evt_{number}"))
        assert run_after(MINUTE) == 0
    assert run_after(7 * MINUTE) == 1
    assert [sent.subject for sent in mails()] == [
        "An audit is finished: acme.example",
        "3 notices about your websites",
    ]


def test_a_digest_is_sent_at_seven_with_all_notices_of_the_day(house: House) -> None:
    operations.choose(owner(house), "daily")
    happen(finished(house, "evt_1"), finished(house, "evt_2", house.other_site))
    at = domain.due("daily", clock.now(), 0.0)
    assert at is not None and notices.run() == 0
    assert run_after(at - clock.now() - MINUTE) == 0
    assert run_after(2 * MINUTE) == 1
    (sent,) = mails()
    assert sent.subject == "2 notices about your websites"
    assert "acme.example: An audit" in sent.text and "blog.acme.example: An audit" in sent.text


@pytest.mark.parametrize(
    ("when", "now", "expected"),
    [
        ("off", "2026-11-25T06:00:00+00:00", None),
        ("at_once", "2026-11-25T06:00:00+00:00", "2026-11-25T06:00:00+00:00"),
        ("daily", "2026-11-25T06:59:59+00:00", "2026-11-25T07:00:00+00:00"),
        ("daily", "2026-11-25T07:00:00+00:00", "2026-11-26T07:00:00+00:00"),
        ("weekly", "2026-11-25T07:00:00+00:00", "2026-11-30T07:00:00+00:00"),
        ("weekly", "2026-11-30T06:00:00+00:00", "2026-11-30T07:00:00+00:00"),
        ("weekly", "2026-11-30T07:00:00+00:00", "2026-12-07T07:00:00+00:00"),
    ],
)
def test_the_time_of_the_next_mail_depends_on_the_chosen_interval(
    when: domain.When, now: str, expected: str | None
) -> None:
    from datetime import datetime

    found = domain.due(when, datetime.fromisoformat(now).timestamp(), 0.0)
    assert found == (None if expected is None else datetime.fromisoformat(expected).timestamp())


def test_a_changed_choice_applies_to_waiting_notices(house: House) -> None:
    operations.choose(owner(house), "weekly")
    happen(finished(house))
    assert notices.run() == 0
    operations.choose(owner(house), "at_once")
    assert notices.run() == 1


def test_turning_mails_off_drops_waiting_notices(house: House) -> None:
    operations.choose(owner(house), "daily")
    happen(finished(house))
    operations.choose(owner(house), "off")
    assert waiting_rows() == [] and run_after(3 * 86_400) == 0
    happen(finished(house, "evt_2"))
    operations.choose(owner(house), "at_once")
    happen(finished(house, "evt_3"))
    assert notices.run() == 1 and mails()[0].subject == "An audit is finished: acme.example"


def test_a_viewer_gets_notices_only_of_currently_assigned_websites(house: House) -> None:
    client = add_viewer(house, house.site.id)
    operations.choose(client, "at_once")
    happen(finished(house, "evt_1"), finished(house, "evt_2", house.other_site))
    assert notices.run() == 1
    (sent,) = mails()
    assert sent.to == "client@example.com" and house.other_site.host not in sent.text
    happen(finished(house, "evt_3"))
    assert client.person_id is not None
    accounts.set_role(OPERATOR, house.workspace_id, client.person_id, "client_viewer", [house.other_site.id])
    assert run_after(20 * MINUTE) == 0 and waiting_rows() == []


def test_a_viewer_created_by_an_earlier_release_gets_no_notices(house: House) -> None:
    client = add_viewer(house, house.site.id)
    operations.choose(client, "at_once")
    assert client.person_id is not None
    pk, sk = keys.person(house.workspace_id, client.person_id)
    items.update("accounts", pk, sk, "REMOVE siteIds")
    happen(finished(house))
    assert notices.run() == 0 and mails() == [] and waiting_rows() == []


def test_no_mail_is_sent_about_a_removed_website(house: House) -> None:
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    websites.remove(OPERATOR, house.site.id)
    assert notices.run() == 0 and mails() == [] and waiting_rows() == []


def test_a_removed_person_gets_no_mail_and_leaves_no_choice(house: House) -> None:
    client = add_viewer(house, house.site.id)
    operations.choose(client, "at_once")
    happen(finished(house))
    assert client.person_id is not None
    accounts.remove_person(OPERATOR, house.workspace_id, client.person_id)
    assert notices.run() == 0 and mails() == []
    assert stored.get(house.workspace_id, client.person_id) is None


def test_leftover_notice_data_of_a_removed_person_is_deleted(house: House) -> None:
    stored.choose(house.workspace_id, "per_gone", "at_once", "secret", clock.now())
    happen(finished(house))
    assert waiting_rows() and notices.run() == 0
    assert [key for key in aws.rows("webhooks") if "per_gone" in "".join(key)] == []


def test_notices_that_do_not_fit_into_one_mail_are_sent_in_the_next(house: House) -> None:
    operations.choose(owner(house), "at_once")
    happen(*(finished(house, f"evt_{number:02d}") for number in range(domain.MOST_TOLD + 2)))
    assert notices.run() == 1 and run_after(MINUTE) == 0 and run_after(10 * MINUTE) == 1
    assert [sent.subject for sent in mails()] == ["30 notices about your websites", "2 notices about your websites"]
    assert "Another mail has the rest" in mails()[0].text and "Another mail" not in mails()[1].text


@pytest.mark.parametrize("when", ["daily", "weekly"])
def test_notices_that_do_not_fit_into_a_digest_are_sent_ten_minutes_later(house: House, when: domain.When) -> None:
    operations.choose(owner(house), when)
    happen(*(finished(house, f"evt_{number:02d}") for number in range(domain.MOST_TOLD + 2)))
    at = domain.due(when, clock.now(), 0.0)
    assert at is not None and run_after(at - clock.now() + MINUTE) == 1 and len(waiting_rows()) == 2
    assert run_after(10 * MINUTE) == 1 and waiting_rows() == []


def test_hostile_names_are_escaped_in_mails_and_kept_out_of_headers(house: House) -> None:
    operations.choose(owner(house), "at_once")
    evil = "a\r\nBcc: x@evil.example\u202e<script>" + "b" * 5_000
    broken = other(house, "connection.broken", connection=evil, error=evil)
    broken.host = evil
    happen(broken)
    assert notices.run() == 1
    (sent,) = mails()
    assert "\n" not in sent.subject and len(sent.subject) < 200 and "\u202e" not in sent.text
    assert "<script>" not in sent.html and len(sent.text) < 2_000 and "Bcc" not in sent.headers


@pytest.mark.parametrize("error", [Unavailable("The mail server does not answer."), RuntimeError("a fault of ours")])
def test_a_failing_mail_is_tried_eight_times(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    tried: list[str | None] = []

    def refuse(of: Mail) -> None:
        tried.append(of.message_id)
        raise error

    monkeypatch.setattr(mail, "send", refuse)
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    assert notices.run() == 0 and run_after(MINUTE) == 0 and len(tried) == 1
    with caplog.at_level(logging.WARNING):
        for number in range(1, 10):
            run_after(MINUTE + notices.FIRST_WAIT_SECONDS * 2 ** (number - 1))
    assert len(tried) == notices.TRIES and len(set(tried)) == 1 and waiting_rows() == []
    assert "notices are given up" in caplog.text
    assert OWNER not in caplog.text and "token" not in caplog.text


def test_mail_to_a_refused_address_is_not_retried(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(of: Mail) -> None:
        raise Declined("The mail server refuses the address (550).")

    monkeypatch.setattr(mail, "send", refuse)
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    assert notices.run() == 0 and waiting_rows() == []


def test_without_mail_no_notices_are_stored(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", "")
    forget_settings()
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    assert notices.run() == 0 and waiting_rows() == []


def test_without_a_public_address_notices_wait(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_URL", "")
    forget_settings()
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    assert notices.run() == 0 and len(waiting_rows()) == 1
    monkeypatch.setenv("APP_URL", APP)
    forget_settings()
    assert notices.run() == 1 and f"{APP}/sites/" in mails()[0].text


def test_a_notice_created_while_a_mail_is_sent_comes_with_the_next_mail(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = mail.send

    def while_more_happens(of: Mail) -> None:
        send(of)
        if len(mails()) == 1:
            happen(finished(house, "evt_2"))

    monkeypatch.setattr(mail, "send", while_more_happens)
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    assert notices.run() == 1 and run_after(MINUTE) == 0 and run_after(10 * MINUTE) == 1
    assert run_after(20 * MINUTE) == 0 and len(mails()) == 2


def test_two_simultaneous_runs_send_one_mail(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    send = mail.send

    def while_another_runs(of: Mail) -> None:
        assert notices.run() == 0
        send(of)

    monkeypatch.setattr(mail, "send", while_another_runs)
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    assert notices.run() == 1 and len(mails()) == 1


def test_due_mails_are_not_sent_by_the_sweeper(house: House) -> None:
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    webhooks.advance(MINUTE)
    assert sweeper.run() == 0
