"""Killing whoever asks, confirms, ends or sends monthly reports before and after each of their writes: no address gets
a report that it did not confirm, and none misses one or gets another than the mail that was under way."""

import pytest

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import recipients
from chalicelib.operations.errors import Refused
from chalicelib.settings.reading import forget_settings
from chalicelib.store import recipients as stored
from chalicelib.store import reports as stored_reports
from chalicelib.workers import notices, report_mails
from local import embedded
from tests.api.conftest import House, settle
from tests.crash.test_delivery_crashes import every_kill
from tests.plugins import aws_weather
from tests.report_mails import APP, SENDER, ask, first_of_next_month, later, link_in, mails, taken
from tests.web.conftest import Browser

pytestmark = pytest.mark.usefixtures("store")


@pytest.fixture(autouse=True)
def sending(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", SENDER)
    monkeypatch.setenv("APP_URL", APP)
    forget_settings()


def fresh() -> House:
    embedded.clear()
    embedded.MAILBOX.clear()
    embedded.MAILBOX.verify(SENDER)
    return settle()


class Prepared:
    """A website with an address, made anew for each kill."""

    house: House
    token: str

    def asked(self) -> None:
        self.house = fresh()
        self.token = ask(self.house)

    def confirmed(self) -> None:
        self.house = fresh()
        self.token = recipients.stop_token(taken(self.house))

    def due(self) -> None:
        self.confirmed()
        first_of_next_month()

    def sent(self) -> None:
        self.due()
        assert notices.run() == 1


def test_a_killed_worker_repeats_at_most_the_report_it_was_sending() -> None:
    of = Prepared()

    def run() -> None:
        assert notices.run() == 1

    repeated = 0
    for _ in every_kill(run, of.due):
        for _ in range(3):
            later(report_mails.FIRST_WAIT_SECONDS * 2 + 60)
        sent = mails()
        assert 1 <= len(sent) <= 2 and len({link_in(one, "r/") for one in sent}) == 1
        assert Browser().get(link_in(sent[0], "r/")).status == 200
        assert len(stored_reports.list_open(of.house.site.id)) == 1
        (row,) = stored.list_all(of.house.site.id)
        assert row.token is None and row.tries == 0
        repeated += len(sent) == 2
    assert aws_weather.bad() or repeated == 1, "killed between the mail and the write that ends it"


def test_a_recipient_whose_addition_was_interrupted_by_a_kill_can_be_added_again() -> None:
    houses: list[House] = []

    def run() -> None:
        assert recipients.ask(OPERATOR, houses[-1].site.id, "client@example.com", APP) is None

    for _ in every_kill(run, lambda: houses.append(fresh())):
        recipients.confirm(ask(houses[-1]))
        assert len(stored.list_all(houses[-1].site.id)) == 1


def test_a_recipient_is_confirmed_once_even_if_the_process_is_killed_at_any_write() -> None:
    of = Prepared()
    for _ in every_kill(lambda: recipients.confirm(of.token), of.asked):
        (before,) = stored.list_all(of.house.site.id)
        try:
            recipients.confirm(of.token)
        except Refused:
            assert before.confirm is None
        (after,) = stored.list_all(of.house.site.id)
        assert after.confirm is None and after.version == 1


def test_a_kill_never_removes_a_recipient_without_its_link_or_the_link_alone() -> None:
    of = Prepared()

    def run() -> None:
        (found,) = stored.list_all(of.house.site.id)
        recipients.end(OPERATOR, of.house.site.id, found.key)

    for _ in every_kill(run, of.sent):
        links = stored_reports.list_open(of.house.site.id)
        assert len(links) == len(stored.list_all(of.house.site.id)), "both are there or neither"
        if links:
            run()
        assert stored_reports.list_open(of.house.site.id) == []
        first_of_next_month()
        assert notices.run() == 0


def test_one_click_unsubscribing_that_was_interrupted_by_a_kill_can_be_repeated() -> None:
    of = Prepared()
    for _ in every_kill(lambda: recipients.stop(of.token), of.confirmed):
        if recipients.stops(of.token):
            recipients.stop(of.token)
        first_of_next_month()
        assert notices.run() == 0 and stored.list_all(of.house.site.id) == []
