"""Killed at any write, approved changes end as if nothing had happened: the CMS or shop writes each once, nothing is
called applied that was not seen, and every event is told once."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.changes.batch import Change
from chalicelib.domain.connections import WRITER_KINDS
from chalicelib.operations import cancelling, changes, rechecks
from chalicelib.operations.errors import Refused
from chalicelib.workers import writes
from tests.changes import ALT, House, Picture, open_house
from tests.crash.crashing import Killed, each_step, killed_at, points
from tests.reader import read_by_function

When = Literal["before", "after"]
OWN = b"User-agent: *\nDisallow: /private/\n"
TEXT = "# Shop\n\n- [Home](https://shop.example/): where to begin\n"
VALUES = {"/a": "All about A", "/b": "All about B"}
of_a_cms = pytest.mark.parametrize("house", ["cms"], indirect=True)  # a shop writes no files
WORKER = writes.handle  # what these tests kill, with the recheck behind it


@pytest.fixture(params=WRITER_KINDS)
def house(store: None, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[House]:
    with open_house(monkeypatch, kind=request.param) as found:
        yield found


def renew(house: House) -> None:
    """Everything as at the beginning."""
    house.cms.misbehave("none")
    house.cms.writes.clear()
    for path in house.shop.paths:
        house.cms.edit(f"page:{path}", "title", None)
    for file in ("llmsTxt", "robotsBlock") if house.kind == "cms" else ():
        house.cms.edit("", file, None)
    for path in house.shop.pictures:
        for key in house.shop.images(f"page:{path}"):
            house.cms.edit(f"page:{path}", f"alt {key}", None)
    house.shop.robots = OWN
    house.begin_again()


def outcome(house: House) -> dict[str, Any]:
    """Everything that somebody can see of it, without times and ids that are made at random."""
    issue, batches = house.issue(), house.batches()
    for _, found in batches:
        assert all(change.status != "applied" or change.look is not None for change in found)
    return {
        "issue": (issue.status, issue.affected_pages, issue.pending_recheck, issue.change_batch is not None),
        "batches": [
            (batch.kind, batch.status, [(change.value, change.status, change.error) for change in found])
            for batch, found in batches
        ],
        "place": house.place(),
        # Those of a batch are sent at once, in no order; those of an item in the order of their batches.
        "cms": sorted(house.cms.writes, key=lambda write: write[:2]),
        "alts": {path: dict(alts) for path, alts in house.shop.alts.items()},
        "alt": next((one.status for one in house.book().issues if one.rule_id == ALT), None),
        "held": [house.held(path) for path in house.shop.paths],
        "events": sorted(event.kind for event in house.events() if event.kind != "score.changed"),
        "sources": {event.fields["source"] for event in house.events() if event.kind.startswith("write.")},
        "known": house.known(),
        "files": (house.shop.file("/llms.txt"), house.shop.file("/robots.txt")),
        "last": [
            None if last is None else (last.status, last.value, last.previous, last.held, last.error)
            for last in (house.last("llms_txt"), house.last("ai_crawlers"))
        ],
    }


def work(house: House) -> None:
    """Write everything, and then recheck: which of two batches a recheck follows is a matter of time."""
    house.write()
    house.work()


def killed_everywhere(house: House, step: int, prepare: Callable[[], None], act: Callable[[], None]) -> dict[str, Any]:
    """``act`` is done, undisturbed and then killed at points of it, each time upon ``prepare``; in the end all is the
    same. Killed while it asked, it asks again where nothing was left of it."""
    renew(house)
    prepare()
    with killed_at(None) as counter:
        act()
        work(house)
    undisturbed = outcome(house)
    for number, when in points(counter.count, step):
        renew(house)
        prepare()
        batches = len(house.batches())
        with contextlib.suppress(Killed), killed_at(number, when):
            act()
            work(house)
        if len(house.batches()) == batches:
            act()
        work(house)
        assert outcome(house) == undisturbed, (number, when, counter.operations[number])
    return undisturbed


@each_step
def test_a_batch_is_written_once_despite_kills(house: House, step: int) -> None:
    ended = killed_everywhere(house, step, lambda: None, lambda: void(house.apply(VALUES)))
    assert ended["issue"] == ("open", 1, None, True)
    assert ended["events"] == ["audit.finished", "recheck.failed", "write.applied"]
    assert ended["sources"] == {house.kind}
    assert sorted(ended["cms"]) == [(f"page:{path}", "title", value) for path, value in VALUES.items()]
    assert ended["known"] == list(VALUES.values())


@pytest.mark.deep
@pytest.mark.parametrize("step", [2])
def test_a_batch_fails_once_despite_kills_if_the_cms_denies_access(house: House, step: int) -> None:
    def prepare() -> None:
        house.cms.misbehave("access")

    ended = killed_everywhere(house, step, prepare, lambda: void(house.apply(VALUES)))
    assert ended["events"] == ["audit.finished", "connection.broken", "write.failed"]
    assert {status for _, _, found in ended["batches"] for _, status, _ in found} == {"failed"}
    writer = house.current().connections.of(house.kind)
    assert writer is not None and writer.broken


@pytest.mark.deep
@pytest.mark.parametrize("step", [1])
def test_a_batch_that_visitors_do_not_see_is_reported_once_despite_kills(house: House, step: int) -> None:
    def prepare() -> None:
        house.cms.misbehave("hide_writes")

    ended = killed_everywhere(house, step, prepare, lambda: void(house.apply(VALUES)))
    assert ended["events"] == ["audit.finished", "recheck.failed", "write.applied", "write.not_live"]
    assert {status for _, _, found in ended["batches"] for _, status, _ in found} == {"not_live"}


@pytest.mark.deep
@pytest.mark.parametrize("step", [1])
def test_a_refused_batch_fails_once_despite_kills(house: House, step: int) -> None:
    def prepare() -> None:
        house.cms.misbehave("refuse")

    ended = killed_everywhere(house, step, prepare, lambda: void(house.apply(VALUES)))
    assert ended["events"] == ["audit.finished", "write.failed"]
    assert ended["issue"] == ("open", 3, None, True) and ended["cms"] == []


@of_a_cms
@each_step
def test_values_checked_in_a_separate_function_are_applied_once_despite_kills(
    house: House, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is the same as when the writer reads the pages itself. Each change is sent to the CMS once."""
    with read_by_function(monkeypatch) as function:
        ended = killed_everywhere(
            house, step, lambda: void(house.rule(CCBot="deny")), lambda: void(house.apply(VALUES))
        )
    assert {asked["kind"] for asked in function.asked} == {"page", "robots"}
    assert ended["issue"] == ("open", 1, None, True) and ended["place"] == (None, 0)
    assert [field for _, field, _ in ended["cms"]] == ["robotsBlock", "title", "title"], "each once"
    assert ended["events"].count("write.applied") == 2 and ended["known"] == list(VALUES.values())


@each_step
def test_two_queued_batches_are_written_in_order_despite_kills(house: House, step: int) -> None:
    def prepare() -> None:
        house.apply({"/a": "First"})

    ended = killed_everywhere(house, step, prepare, lambda: void(house.apply({"/a": "Second"})))
    assert [value for _, _, value in ended["cms"]] == ["First", "Second"]
    assert ended["events"].count("write.applied") == 2


@each_step
def test_a_waiting_batch_is_cancelled_once_despite_kills(house: House, step: int) -> None:
    def prepare() -> None:
        house.apply({"/a": "First"})
        house.apply({"/a": "Second", "/b": "B"})

    ended = killed_everywhere(house, step, prepare, lambda: void(cancelling.cancel_waiting(OPERATOR, house.site_id)))
    assert [value for _, _, value in ended["cms"]] == ["First"]
    assert ended["events"].count("write.applied") == ended["events"].count("write.failed") == 1
    assert ended["place"] == (None, 0)


@each_step
def test_an_undo_is_done_once_despite_kills(house: House, step: int) -> None:
    def prepare() -> None:
        house.apply({path: f"All about {path}" for path in house.shop.paths})
        house.work()
        assert house.issue().status == "resolved"

    def undo() -> None:
        batch = next(batch for batch, _ in house.batches() if batch.kind == "fields")
        house.undo(batch)

    ended = killed_everywhere(house, step, prepare, undo)
    assert ended["held"] == [None, None, None]
    assert ended["issue"] == ("reopened", 3, None, True)
    assert [status for kind, _, found in ended["batches"] for _, status, _ in found if kind == "fields"] == [
        "reverted"
    ] * 3
    assert ended["events"].count("issue.reopened") == 1 and ended["events"].count("write.applied") == 1


@each_step
def test_an_undo_requested_twice_is_done_once(house: House, step: int) -> None:
    def prepare() -> None:
        house.apply({path: f"All about {path}" for path in house.shop.paths})
        house.work()

    def undo() -> None:
        batch = next(batch for batch, _ in house.batches() if batch.kind == "fields")
        for _ in range(2):
            changes.undo(OPERATOR, house.site_id, batch.id, frozenset({1}))

    ended = killed_everywhere(house, step, prepare, undo)
    assert ended["held"] == ["All about /a", None, "All about /c"]
    assert [(kind, len(found)) for kind, _, found in ended["batches"]] == [("fields", 3), ("undo", 1)]
    assert ended["issue"] == ("reopened", 1, None, True)


@of_a_cms
@each_step
def test_a_file_and_crawler_rules_are_applied_despite_kills(house: House, step: int) -> None:
    ended = killed_everywhere(
        house,
        step,
        lambda: void(house.publish(TEXT)),
        lambda: void(house.rule(GPTBot="allow", CCBot="deny")),
    )
    assert [last[0] for last in ended["last"]] == ["applied", "applied"]
    assert [field for _, field, _ in ended["cms"]] == ["llmsTxt", "robotsBlock"], "each once"
    assert ended["files"][0] == TEXT.encode() and ended["files"][1].startswith(OWN)
    assert ended["events"].count("write.applied") == 2 and ended["place"] == (None, 0)


@of_a_cms
@pytest.mark.deep
@pytest.mark.parametrize("step", [1])
@pytest.mark.parametrize(
    ("fault", "status", "events"),
    [("hide_writes", "not_live", ["write.applied", "write.not_live"]), ("refuse", "refused", ["write.failed"])],
)
def test_a_file_change_that_is_not_live_or_refused_keeps_its_status_despite_kills(
    house: House, step: int, fault: str, status: str, events: list[str]
) -> None:
    ended = killed_everywhere(house, step, lambda: house.cms.misbehave(fault), lambda: void(house.publish(TEXT)))
    assert ended["last"][0][0] == status
    assert [kind for kind in ended["events"] if kind.startswith("write.")] == events


@of_a_cms
@each_step
def test_crawler_rules_queued_after_an_undo_are_written_once_despite_kills(house: House, step: int) -> None:
    def prepare() -> None:
        for rules in ({"GPTBot": "deny"}, {"CCBot": "deny"}):
            batch = house.rule(**rules)
            house.work()
        house.undo(batch)

    ended = killed_everywhere(house, step, prepare, lambda: void(house.rule(ClaudeBot="deny")))
    assert ended["last"][1][:3] == ("applied", {"ClaudeBot": "deny"}, {"GPTBot": "deny"})
    assert [batch[0] for batch in ended["batches"]] == ["ai_crawlers", "ai_crawlers", "undo", "ai_crawlers"]


@each_step
def test_a_change_that_a_recheck_finds_live_is_applied_once_despite_kills(house: House, step: int) -> None:
    """A change that was not live becomes applied when the recheck sees it, and one event reports this."""

    def prepare() -> None:
        house.cms.misbehave("hide_writes")
        house.apply({path: f"All about {path}" for path in house.shop.paths})
        house.work()
        assert {status for _, found in house.batches() for status in statuses(found)} == {"not_live"}
        house.cms.misbehave("none")

    def recheck() -> None:
        clock.set_offset(clock.offset() + 3_600)
        with contextlib.suppress(Refused):  # it was asked for already, or has ended well
            rechecks.start(house.current(), house.issue_id, person_id=None, now=clock.now())

    ended = killed_everywhere(house, step, prepare, recheck)
    assert ended["issue"] == ("resolved", 0, None, True)
    assert [statuses(found) for _, found in house.batches()] == [["applied"] * 3]
    # The first recheck, which followed the write, told what it did not find; the second that the issue is resolved.
    told = ["audit.finished", "issue.resolved", "recheck.failed", "write.applied", "write.not_live"]
    assert ended["events"] == told
    assert len(ended["cms"]) == 3, "nothing was written again"


def statuses(found: Sequence[Change]) -> list[str]:
    return [change.status for change in found]


def void(_: object) -> None:
    """For what gives something that nobody wants."""


@pytest.fixture
def pictured(store: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    pictures = {"/a": [Picture("/fox.jpg"), Picture("/fox.jpg")], "/b": [Picture("/den.jpg")]}
    with open_house(monkeypatch, pictures=pictures) as found:
        yield found


TEXTS = {("/a", "/fox.jpg 1"): "A fox in the snow", ("/a", "/fox.jpg 2"): "", ("/b", "/den.jpg 1"): "A den"}


@each_step
def test_alt_texts_of_several_images_of_a_page_are_written_once_despite_kills(pictured: House, step: int) -> None:
    ended = killed_everywhere(pictured, step, lambda: None, lambda: void(pictured.describe(TEXTS)))
    assert sorted(ended["alts"]["/a"].values()) == ["", "A fox in the snow"]
    assert list(ended["alts"]["/b"].values()) == ["A den"]
    assert len(ended["cms"]) == 3, "each once"
    assert ended["alt"] == "resolved" and ended["events"].count("write.applied") == 1
    assert ended["known"] == [], "no title was written"


@each_step
def test_an_undo_of_one_image_of_a_page_is_done_once_despite_kills(pictured: House, step: int) -> None:
    def prepare() -> None:
        pictured.describe(TEXTS)
        pictured.work()

    def undo() -> None:
        batch = pictured.batches()[0][0]
        changes.undo(OPERATOR, pictured.site_id, batch.id, frozenset({0}))

    ended = killed_everywhere(pictured, step, prepare, undo)
    assert [list(ended["alts"][path].values()) for path in ("/a", "/b")] == [[""], ["A den"]]
    assert [statuses(found) for _, found in pictured.batches()] == [["reverted", "applied", "applied"], ["applied"]]
    assert ended["alt"] == "reopened" and len(ended["cms"]) == 4
