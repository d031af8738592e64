"""Killing the makers and senders of notices before and after each of their writes: none is lost, none told twice but by
the very mail that was under way."""

import pytest

from chalicelib.domain.accounts.rights import Actor
from chalicelib.operations import notices as operations
from chalicelib.settings.reading import forget_settings
from chalicelib.workers import notices, sweeper
from chalicelib.workers.delivery import outbox
from local import embedded
from tests import aws, webhooks
from tests.api.conftest import settle
from tests.crash.test_delivery_crashes import every_kill
from tests.workers.test_notices import APP, SENDER, finished, waiting_rows

pytestmark = pytest.mark.usefixtures("store")


@pytest.fixture(autouse=True)
def sending(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", SENDER)
    monkeypatch.setenv("APP_URL", APP)
    forget_settings()


def prepare() -> None:
    embedded.clear()
    embedded.MAILBOX.clear()
    embedded.MAILBOX.verify(SENDER)
    house = settle()
    operations.choose(Actor(house.workspace_id, house.person_id, "owner"), "at_once")
    webhooks.publish(finished(house, "evt_1"), finished(house, "evt_2", house.other_site))


def test_killed_workers_create_each_notice_exactly_once() -> None:
    def run() -> None:
        (message,) = aws.messages("outbox")
        outbox.handle(message, None)

    for _ in every_kill(run, prepare):
        aws.purge("outbox")
        webhooks.advance(60)
        sweeper.run()
        webhooks.hand_over()
        notices.run()
        assert "".join(sent.text for sent in embedded.MAILBOX.sent()).count(": An audit is finished") == 2
        assert waiting_rows() == []


def test_a_killed_worker_repeats_at_most_the_mail_it_was_sending() -> None:
    def prepared() -> None:
        prepare()
        webhooks.hand_over()

    def run() -> None:
        assert notices.run() == 1

    repeated = 0
    for _ in every_kill(run, prepared):
        for _ in range(3):
            webhooks.advance(notices.FIRST_WAIT_SECONDS * 2 + 60)
            notices.run()
        sent = embedded.MAILBOX.sent()
        assert 1 <= len(sent) <= 2 and len({one.text for one in sent}) == 1
        assert sent[0].text.count(": An audit is finished") == 2
        assert waiting_rows() == []
        repeated += len(sent) == 2
    assert repeated == 1, "killed between the mail and the write that ends it"
