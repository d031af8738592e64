"""Undoing files: the service believes the CMS about what stood there before, and says only what was taken back."""

from collections.abc import Callable, Iterator

import pytest

from chalicelib import clock
from chalicelib.domain.changes.batch import Batch, FileField, job_id
from chalicelib.operations.errors import Refused
from chalicelib.workers import writes
from chalicelib.workers.writing.sending import NOT_TAKEN_BACK
from tests import aws
from tests.changes import House, open_house
from tests.workers.audit.websites import Runtime

TEXT, OTHER = "# The shop\n", "# Another text\n"


@pytest.fixture
def house(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    with open_house(monkeypatch) as found:
        yield found


def lose_answers(house: House, approve: Callable[[], Batch]) -> Batch:
    """Approve a change that the CMS writes, and whose answers are all lost."""
    house.cms.misbehave("partial")
    batch = approve()
    for _ in range(5):
        aws.purge("writes")
        writes.handle({"siteId": house.site_id, "jobId": job_id(batch.id)}, Runtime())
        clock.set_offset(clock.offset() + max(0.0, house.job(batch).due_at - clock.now()))
    house.cms.misbehave("none")
    aws.purge("writes")
    assert house.loaded(batch).changes[0].status == "failed"
    return batch


@pytest.mark.parametrize("field", ["llms_txt", "ai_crawlers"])
def test_a_file_is_not_undone_if_a_failed_batch_may_have_written_its_text_before(
    house: House, field: FileField
) -> None:
    def approve() -> Batch:
        return house.publish(TEXT) if field == "llms_txt" else house.rule(GPTBot="deny")

    lost = lose_answers(house, approve)
    batch = approve()
    house.work()
    assert house.loaded(batch).changes[0].was_there
    with pytest.raises(Refused) as refused:
        house.undo(batch)
    assert refused.value.code == "nothing_to_undo"
    assert refused.value.message == (
        f"The CMS held this value before the batch. The failed batch {lost.id} may have written it although the CMS "
        "did not answer. The value before that batch is therefore not known. Approve the value that you want instead."
    )
    assert house.last(field).status == "applied"


def test_a_field_is_not_undone_if_a_failed_batch_may_have_written_its_value_before(house: House) -> None:
    lost = lose_answers(house, lambda: house.apply({"/a": "All about A"}))
    batch = house.apply({"/a": "All about A"})
    house.work()
    with pytest.raises(Refused, match=f"The failed batch {lost.id} may have written it"):
        house.undo(batch)


def test_an_undo_restores_a_text_unknown_to_the_service(house: House) -> None:
    lose_answers(house, lambda: house.publish(TEXT))
    batch = house.publish(OTHER)
    house.work()
    (change,) = house.loaded(batch).changes
    assert change.outcome is not None and change.outcome.before == TEXT
    house.undo(batch)
    house.work()
    last = house.last("llms_txt")
    assert (last.status, last.held, house.shop.files["llmsTxt"]) == ("reverted", TEXT, TEXT)


def test_an_undo_restores_rules_unknown_to_the_service(house: House) -> None:
    lose_answers(house, lambda: house.rule(GPTBot="deny", CCBot="allow"))
    before = house.shop.files["robotsBlock"]
    batch = house.rule(ClaudeBot="deny")
    house.work()
    house.undo(batch)
    house.work()
    last = house.last("ai_crawlers")
    assert (last.status, house.shop.files["robotsBlock"]) == ("reverted", before)
    assert dict(last.held) == {"CCBot": "allow", "GPTBot": "deny"}


@pytest.mark.parametrize("field", ["llms_txt", "title"])
def test_an_undo_fails_if_the_value_does_not_change(house: House, field: str, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = house.publish(TEXT) if field == "llms_txt" else house.apply({"/a": "All about A"})
    house.work()
    left = house.loaded(batch).changes[0].value
    monkeypatch.setattr(house.cms._undos, "value", lambda token, sent: left)
    undo = house.undo(batch)
    house.work()
    (change,) = house.loaded(undo).changes
    assert (change.status, change.error) == ("failed", NOT_TAKEN_BACK)
    assert house.loaded(batch).changes[0].status == "applied"
