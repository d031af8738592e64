"""The notice that suggested values wait for approval: where some can be written, once a week, and whoever is killed."""

import msgspec
import pytest

from chalicelib import clock
from chalicelib.domain.suggestion import SuggestionSet
from chalicelib.settings.reading import forget_settings
from chalicelib.store import issues
from chalicelib.store.transactions import commit
from chalicelib.workers import notices, sweeper
from chalicelib.workers.delivery import outbox
from local import embedded
from tests import aws, webhooks
from tests.api import seed
from tests.api.conftest import House, settle
from tests.crash.test_delivery_crashes import every_kill
from tests.workers.test_notices import APP, SENDER, finished, happen, mails, operations, owner, run_after, waiting_rows

HEADLINE = "Values wait for approval"
MINUTE = 60.0
DAY = 86_400.0


@pytest.fixture(autouse=True)
def sending(store: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAIL_FROM", SENDER)
    monkeypatch.setenv("APP_URL", APP)
    forget_settings()
    embedded.MAILBOX.verify(SENDER)


def suggested(house: House, status: str = "open", counts: tuple[int, ...] = (2,)) -> None:
    """An audited website whose CMS is connected and whose one issue has suggested titles."""
    seed.settled(house.site)
    seed.connected(house.site)
    book = issues.load_state(house.site.id)
    assert book is not None
    suggestions = SuggestionSet(seed.AUDIT, list(counts))
    changed = msgspec.structs.replace(book.issues[0], status=status, suggestions=suggestions)
    commit([issues.put_state(house.site.id, book.with_issue(changed), replaces=book.version)])


def told() -> int:
    """How often people were told that values wait."""
    return sum(one.text.count(f": {HEADLINE}") for one in mails())


@pytest.fixture
def house() -> House:
    return settle()


def test_people_are_notified_of_waiting_values_after_an_audit(house: House) -> None:
    suggested(house)
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    assert notices.run() == 1
    (sent,) = mails()
    assert sent.subject == "2 notices about your websites"
    assert f"acme.example: {HEADLINE}. Suggested values of 1 issue can be written" in sent.text
    assert f"{APP}/sites/{house.site.id}/actions\n" in sent.text


def test_waiting_values_are_mailed_once_a_week_for_any_number_of_audits(house: House) -> None:
    suggested(house)
    operations.choose(owner(house), "at_once")
    to_monday = 7 * DAY - (clock.now() - 4 * DAY) % (7 * DAY) + MINUTE
    webhooks.advance(to_monday)
    for number in range(14):
        happen(finished(house, f"evt_{number}"))
        assert run_after(MINUTE) == 1
        assert told() == 1 + number // 7
        webhooks.advance(DAY - MINUTE)


@pytest.mark.parametrize("when", ["daily", "weekly"])
def test_digests_mention_waiting_values_too(house: House, when: str) -> None:
    suggested(house)
    operations.choose(owner(house), when)
    happen(finished(house))
    assert notices.run() == 0
    assert run_after(7 * DAY) == 1 and told() == 1


@pytest.mark.parametrize(
    ("status", "counts"), [("in_progress", (2,)), ("ignored", (2,)), ("resolved", (2,)), ("open", (0,)), ("open", ())]
)
def test_suggestions_that_are_empty_or_decided_do_not_count_as_waiting(
    house: House, status: str, counts: tuple[int, ...]
) -> None:
    suggested(house, status, counts)
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    assert notices.run() == 1 and told() == 0


@pytest.mark.parametrize("changed", [{"writable": False}, {"fields": ["canonical"]}])
def test_suggestions_that_cannot_be_written_do_not_count_as_waiting(house: House, changed: dict[str, object]) -> None:
    suggested(house)
    seed.connected(house.site, **changed)
    operations.choose(owner(house), "at_once")
    happen(finished(house))
    assert notices.run() == 1 and told() == 0


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_an_unfinished_audit_does_not_report_waiting_values(house: House, status: str) -> None:
    suggested(house)
    operations.choose(owner(house), "at_once")
    happen(finished(house, status=status))
    notices.run()
    assert told() == 0


def test_a_notice_is_sent_once_even_if_the_worker_is_killed_at_any_write() -> None:
    def prepare() -> None:
        embedded.clear()
        embedded.MAILBOX.clear()
        embedded.MAILBOX.verify(SENDER)
        house = settle()
        suggested(house)
        operations.choose(owner(house), "at_once")
        webhooks.publish(finished(house))

    def run() -> None:
        (message,) = aws.messages("outbox")
        outbox.handle(message, None)

    for _ in every_kill(run, prepare):
        aws.purge("outbox")
        webhooks.advance(60)
        sweeper.run()
        webhooks.hand_over()
        notices.run()
        assert told() == 1 and waiting_rows() == []
