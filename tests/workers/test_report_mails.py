"""Monthly reports by mail: to whom, when, how often, and what they say."""

import logging
import re
from datetime import datetime

import msgspec
import pytest

from chalicelib import clock
from chalicelib.connectors import mail
from chalicelib.connectors.errors import Declined, Unavailable
from chalicelib.domain import report_mails as domain
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.issues import TASK_PREFIX
from chalicelib.domain.mails import Mail
from chalicelib.operations import recipients, reports, websites
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues
from chalicelib.store import recipients as stored
from chalicelib.store import reports as stored_reports
from chalicelib.store import websites as stored_websites
from chalicelib.store.transactions import commit
from chalicelib.workers import notices, report_mails, sweeper
from local import embedded
from tests import aws
from tests.api import seed
from tests.api.conftest import House, settle
from tests.report_mails import (
    APP,
    CLIENT,
    DAY,
    SENDER,
    ask,
    first_of_next_month,
    last_of_this_month,
    later,
    link_in,
    mails,
    taken,
)
from tests.web.conftest import Browser
from tests.web.test_limits import NAME_HARM
from tests.web.test_report import a_month_of, figures

MINUTE = 60.0


@pytest.fixture(autouse=True)
def sending(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", SENDER)
    monkeypatch.setenv("APP_URL", APP)
    forget_settings()
    embedded.MAILBOX.verify(SENDER)
    last_of_this_month()


@pytest.fixture
def house() -> House:
    return settle()


def told(text: str) -> dict[str, str]:
    """The figures in a mail, by their labels."""
    found = re.findall(r"^([^:\n]+): (.+) \(four weeks before: (.+)\)$", text, re.MULTILINE)
    return {label: f"{now} | {before}" for label, now, before in found}


def test_a_report_mail_has_four_figures_a_link_and_an_unsubscribe_link(house: House) -> None:
    a_month_of(house)
    taken(house)
    first_of_next_month()
    assert notices.run() == 1
    (sent,) = mails()
    assert sent.subject == "Monthly report: acme.example" and "Acme sends you the report" in sent.text
    assert list(told(sent.text)) == ["Score, of 100", "Issues fixed", "Clicks from search", "Shown in search"]
    assert Browser().get(link_in(sent, "r/")).status == 200
    stop = link_in(sent, "reports/off")
    assert sent.headers == {
        "List-Unsubscribe": f"<https://seo.example.com{stop}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def test_the_figures_of_the_mail_match_the_linked_report(house: House) -> None:
    a_month_of(house)
    book = issues.load_state(house.site.id)
    assert book is not None
    (fixed,) = [one for one in book.issues if one.status == "resolved"]
    task = msgspec.structs.replace(fixed, id="iss_task", rule_id=f"{TASK_PREFIX}005")  # is no issue, so counts nowhere
    changed = msgspec.structs.replace(book, version=book.version + 1, issues=[*book.issues, task])
    commit([issues.put_state(house.site.id, changed, replaces=book.version)])
    website = stored_websites.get(house.workspace_id, house.site.id)
    assert website is not None
    made = domain.report_mail(
        CLIENT,
        "Acme",
        website.host,
        report_mails.figures(website, clock.now()),
        clock.utc(clock.now()).date(),
        APP,
        clock.utc(clock.now()).date(),
        APP,
        "x",
    )
    page = figures(Browser().get(f"/app/r/{reports.share(OPERATOR, house.site.id, 7).token}"))
    shown = {
        label: re.sub(r" [▲▼] .*?\|", " |", said).replace("four weeks before: ", "") for label, said in page.items()
    }
    assert told(made.text) == shown and len(shown) == 4 and "168 | 84" in shown.values()


def test_unknown_figures_are_not_zero(house: House) -> None:
    taken(house)
    first_of_next_month()
    assert notices.run() == 1
    assert set(told(mails()[0].text).values()) == {"not known | not known"}


def test_an_unconfirmed_address_gets_no_report(house: House) -> None:
    ask(house)
    embedded.MAILBOX.clear()
    embedded.MAILBOX.verify(SENDER)
    first_of_next_month()
    assert notices.run() == 0 and mails() == []


def test_a_confirmation_link_works_once_and_for_seven_days(house: House) -> None:
    token = ask(house)
    recipients.confirm(token)
    with pytest.raises(Refused) as refused:
        recipients.confirm(token)
    assert refused.value.code == "link_used"
    late = ask(house, "late@example.com")
    clock.set_offset(clock.offset() + domain.CONFIRM_DAYS * DAY + 1)
    with pytest.raises(Refused):
        recipients.confirm(late)
    assert [one.email for one in stored.list_all(house.site.id)] == [CLIENT]
    recipients.confirm(ask(house, "late@example.com"))


def test_only_the_latest_confirmation_link_works(house: House) -> None:
    first, second = ask(house), ask(house, CLIENT.upper())
    with pytest.raises(Refused):
        recipients.confirm(first)
    recipients.confirm(second)
    assert len(stored.list_all(house.site.id)) == 1


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2026-11-30T23:59:59+00:00", "2026-12-01T07:00:00+00:00"),
        ("2026-12-01T06:00:00+00:00", "2027-01-01T07:00:00+00:00"),
        ("2026-12-31T08:00:00+00:00", "2027-01-01T07:00:00+00:00"),
        ("2028-01-31T08:00:00+00:00", "2028-02-01T07:00:00+00:00"),
    ],
)
def test_a_report_comes_on_the_first_day_of_the_next_month(now: str, expected: str) -> None:
    assert domain.next_mail(datetime.fromisoformat(now).timestamp()) == datetime.fromisoformat(expected).timestamp()


def test_an_address_gets_one_report_a_month_with_its_own_link(house: House) -> None:
    taken(house)
    assert notices.run() == 0
    for month in range(1, 4):
        first_of_next_month()
        assert notices.run() == 1
        for _ in range(27):
            assert later(DAY) == 0
        assert len(mails()) == month
    assert len({link_in(one, "r/") for one in mails()}) == 3
    assert len(stored_reports.list_open(house.site.id)) <= 2, "older ones have ended"


def test_each_address_has_a_link_that_is_revoked_separately(house: House) -> None:
    taken(house, "a@example.com")
    taken(house, "b@example.com")
    first_of_next_month()
    assert notices.run() == 2
    (first,), (second,) = mails("a@example.com"), mails("b@example.com")
    key = next(one.key for one in stored_reports.list_open(house.site.id) if one.sent_to == "a@example.com")
    reports.take_back(OPERATOR, house.site.id, key)
    assert Browser().get(link_in(first, "r/")).status == 404
    assert Browser().get(link_in(second, "r/")).status == 200
    first_of_next_month()
    assert notices.run() == 1 and len(mails("a@example.com")) == 1, "what was taken back ended its mails"


def test_a_link_token_is_stored_only_while_its_mail_is_being_sent(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(of: Mail) -> None:
        raise Unavailable("The mail server does not answer.")

    taken(house)
    first_of_next_month()
    with monkeypatch.context() as patch:
        patch.setattr(mail, "send", fail)
        assert notices.run() == 0
    (row,) = stored.list_all(house.site.id)
    assert row.token is not None and row.token not in repr(row)
    assert later(report_mails.FIRST_WAIT_SECONDS + MINUTE) == 1
    token = link_in(mails()[0], "r/").rpartition("/")[2]
    assert token == row.token and token not in str([aws.stored(table) for table in ("webhooks", "sites")])


@pytest.mark.parametrize("error", [Unavailable("The mail server does not answer."), RuntimeError("a fault of ours")])
def test_a_failing_report_mail_is_tried_eight_times_and_its_link_revoked(
    house: House, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    tried: list[Mail] = []

    def refuse(of: Mail) -> None:
        tried.append(of)
        raise error

    taken(house)
    monkeypatch.setattr(mail, "send", refuse)
    first_of_next_month()
    assert notices.run() == 0 and later(MINUTE) == 0 and len(tried) == 1
    with caplog.at_level(logging.WARNING):
        for number in range(1, 10):
            later(MINUTE + report_mails.FIRST_WAIT_SECONDS * 2 ** (number - 1))
    assert len(tried) == report_mails.TRIES and len({one.message_id for one in tried}) == 1
    assert len({re.findall(rf"{APP}/r/\S+", one.text)[0] for one in tried}) == 1
    assert "a monthly report is given up" in caplog.text and CLIENT not in caplog.text
    assert stored_reports.list_open(house.site.id) == []


def test_a_refused_address_waits_for_the_next_month(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(of: Mail) -> None:
        raise Declined("The mail server refuses the address (550).")

    taken(house)
    first_of_next_month()
    with monkeypatch.context() as patch:
        patch.setattr(mail, "send", refuse)
        assert notices.run() == 0
    assert later(2 * DAY) == 0 and stored_reports.list_open(house.site.id) == []
    first_of_next_month()
    assert notices.run() == 1


def test_two_simultaneous_runs_send_one_report(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    send = mail.send

    def while_another_runs(of: Mail) -> None:
        assert notices.run() == 0
        send(of)

    taken(house)
    first_of_next_month()
    monkeypatch.setattr(mail, "send", while_another_runs)
    assert notices.run() == 1 and len(mails()) == 1


def test_unsubscribing_while_a_report_is_sent_stops_the_next_one(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    send = mail.send
    found = taken(house)

    def while_it_is_ended(of: Mail) -> None:
        recipients.end(OPERATOR, house.site.id, found.key)
        send(of)

    first_of_next_month()
    monkeypatch.setattr(mail, "send", while_it_is_ended)
    assert notices.run() == 1
    assert Browser().get(link_in(mails()[0], "r/")).status == 404
    first_of_next_month()
    assert notices.run() == 0 and stored.list_all(house.site.id) == []


def test_removing_the_website_removes_its_addresses_and_links(house: House) -> None:
    taken(house)
    ask(house, "other@example.com")
    first_of_next_month()
    assert notices.run() == 1
    websites.remove(OPERATOR, house.site.id)
    assert [key for table in ("webhooks", "sites") for key in aws.rows(table) if house.site.id in "".join(key)] == []
    assert not [key for key in aws.rows("sites") if key[0].startswith("REPORT#")]
    first_of_next_month()
    assert notices.run() == 0


def test_a_website_being_removed_sends_no_report(house: House) -> None:
    taken(house)
    websites.remove(OPERATOR, house.site.id, wait=False)
    first_of_next_month()
    assert notices.run() == 0 and mails() == [] and stored.list_all(house.site.id) == []


def test_without_mail_settings_or_a_public_address_no_report_is_sent(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken(house)
    first_of_next_month()
    for name, value in (("MAIL_FROM", SENDER), ("APP_URL", APP)):
        monkeypatch.setenv(name, "")
        forget_settings()
        assert notices.run() == 0 and mails() == []
        monkeypatch.setenv(name, value)
        forget_settings()
    assert notices.run() == 1


def test_hostile_names_are_escaped_in_reports_and_kept_out_of_headers(house: House) -> None:
    reports.brand(OPERATOR, house.workspace_id, (NAME_HARM * 3)[:100], "#123456")
    taken(house)
    first_of_next_month()
    assert notices.run() == 1
    (sent,) = mails()
    assert "<script" not in sent.html and "<img" not in sent.html and sent.subject == "Monthly report: acme.example"


def test_due_reports_are_not_sent_by_the_sweeper(house: House) -> None:
    seed.settled(house.site)
    taken(house)
    first_of_next_month()
    assert sweeper.run() == 0
