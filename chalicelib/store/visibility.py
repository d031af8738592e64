"""AI visibility of websites (table ai): prompts, the samples of each week, and their evaluation.

Access patterns
- the prompts of a website: Get SITE#s, PROMPTS; with the last weeks: one BatchGet, and another if a week has parts
- the raw samples of a week: Query SITE#s#SAMPLES, week#
- how many answers a workspace has requested in a week: Get WS#w, ANSWERS#week

A sample is written before its question is sent, and again when the answer arrives. Each write fails if the sample's
stored state changed since it was read. So no question is sent more often than its row says, even if several workers
run.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from chalicelib.domain.visibility.prompts import Prompt
from chalicelib.domain.visibility.samples import Sample, Week
from chalicelib.store import items, keys, shapes
from chalicelib.store.blocks import MAX_BLOCK_BYTES, TooLargeToPack
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import Put, Update

TABLE: Final = "ai"
PROMPTS: Final = "prompts"  # in a ``Conflict``, the name of the write of prompts
ROOM: Final = "answers of the week"  # in a ``Conflict``, the name of the write that reserves answers
KEPT_SECONDS: Final = 15 * 7 * 86_400.0  # how long samples and weeks are stored: twelve shown weeks and the current one
MOST_PARTS: Final = 9  # parts of a week: one transaction of at most 4 MB writes them


class PromptBook(NamedTuple):
    """The prompts of a website, oldest first. ``version``: 0 means that none were ever stored."""

    prompts: list[Prompt]
    version: int

    @property
    def active(self) -> list[Prompt]:
        return [prompt for prompt in self.prompts if prompt.active]


class Shown(NamedTuple):
    """The data that answers show: a website's prompts, and the weeks in the requested order. Weeks that are not
    stored are left out."""

    book: PromptBook
    weeks: list[Week]


def load_prompts(site_id: str) -> PromptBook:
    return _book(items.get(TABLE, *keys.prompts(site_id)))


def load_weeks(site_id: str, weeks: Iterable[str]) -> Shown:
    """Load a website's prompts and weeks. One round trip; two if a week does not fit into one item."""
    head = (TABLE, *keys.prompts(site_id))
    firsts = {week: (TABLE, *keys.visibility_week(site_id, week, 0)) for week in weeks}
    found = items.batch_get([head, *firsts.values()])
    rest = [
        (TABLE, *keys.visibility_week(site_id, week, part))
        for week, key in firsts.items()
        for part in range(1, found[key]["parts"] if key in found else 0)
    ]
    if rest:
        found |= items.batch_get(rest)
    shown = [_joined(found, site_id, week) for week, key in firsts.items() if key in found]
    return Shown(_book(found.get(head)), shown)


def load_samples(site_id: str, week: str) -> list[Sample]:
    """Load the samples of a week. One round trip per MB."""
    rows = items.query_all(TABLE, keys.samples_partition(site_id), f"{week}#")
    return [shapes.SAMPLE.unpack(row["data"]) for row in rows]


def put_asked(site_id: str, week: str, sample: Sample) -> bool:
    """Record that a question is about to be sent, for the first time or again. Returns False when another worker has
    recorded this first, or has already stored the answer."""
    if sample.attempts == 1:
        return _put(site_id, week, sample, condition="attribute_not_exists(pk)")
    return _put(
        site_id,
        week,
        sample,
        condition="#attempts = :before AND #outcome IN (:asked, :failed)",
        names={"#attempts": "attempts", "#outcome": "outcome"},
        values={":before": sample.attempts - 1, ":asked": "asked", ":failed": "failed"},
    )


def put_answered(site_id: str, week: str, sample: Sample) -> bool:
    """Record the answer to a question, or its failure. Returns False when the question has been sent again since."""
    return _put(
        site_id,
        week,
        sample,
        condition="#attempts = :attempts AND #outcome = :asked",
        names={"#attempts": "attempts", "#outcome": "outcome"},
        values={":attempts": sample.attempts, ":asked": "asked"},
    )


def answers_of_week(workspace_id: str, week: str) -> int:
    """Return how many answers the workspace's samplings have requested in a week, or reserved for requests."""
    item = items.get(TABLE, *keys.answers_of_week(workspace_id, week))
    return 0 if item is None else int(item["answers"])


# -- writes, for transactions ----------------------------------------------------------------------------


def put_prompts(site_id: str, prompts: Sequence[Prompt], before: PromptBook) -> Put:
    """Return the write that stores a website's prompts. The write fails if the stored prompts changed since ``before``
    was read."""
    pk, sk = keys.prompts(site_id)
    item = {"pk": pk, "sk": sk, "version": before.version + 1, "data": shapes.PROMPTS.pack(list(prompts))}
    if before.version == 0:
        return Put(TABLE, item, condition="attribute_not_exists(pk)", name=PROMPTS)
    condition, names, values = "#version = :seen", {"#version": "version"}, {":seen": before.version}
    return Put(TABLE, item, condition=condition, names=names, values=values, name=PROMPTS)


def room_taken(workspace_id: str, week: str, seen: int, answers: int, now: float) -> Update:
    """Return the write that reserves ``answers`` more answers for a workspace in a week. The write fails if the stored
    count is no longer ``seen``."""
    return Update(
        TABLE,
        keys.answers_of_week(workspace_id, week),
        "SET #answers = :after, #ttl = :ttl",
        condition="#answers = :seen" if seen else "attribute_not_exists(#answers)",
        names={"#answers": "answers", "#ttl": "ttl"},
        values={":after": seen + answers, ":ttl": int(now + KEPT_SECONDS), **({":seen": seen} if seen else {})},
        name=ROOM,
    )


def put_week(site_id: str, week: Week, now: float) -> list[Put]:
    """Return the writes that replace a week; commit them in one transaction. If the week is too large, only the hosts
    of cited pages are stored, not their addresses."""
    parts = _parts(week)
    if len(parts) > MOST_PARTS:
        parts = _parts(_without_addresses(week))
    if len(parts) > MOST_PARTS:
        raise TooLargeToPack(f"{len(week.answers)} answers of one week")
    return [_week_item(site_id, week.week, number, len(parts), data, now) for number, data in enumerate(parts)]


def _put(site_id: str, week: str, sample: Sample, **condition: Any) -> bool:
    pk, sk = keys.sample(site_id, week, sample.prompt_id, sample.provider)
    item = {
        "pk": pk,
        "sk": sk,
        "attempts": sample.attempts,
        "outcome": sample.outcome,
        "data": shapes.SAMPLE.pack(sample),
        "ttl": int(sample.at + KEPT_SECONDS),
    }
    try:
        items.put(TABLE, item, **condition)
    except Conflict:
        return False
    return True


def _book(item: Mapping[str, Any] | None) -> PromptBook:
    return PromptBook([], 0) if item is None else PromptBook(shapes.PROMPTS.unpack(item["data"]), item["version"])


def _parts(week: Week) -> list[bytes]:
    """Pack the week into as few parts as fit. Each part has some of the answers; the first also has all other data."""
    data = shapes.VISIBILITY_WEEK.pack(week)
    if len(data) <= MAX_BLOCK_BYTES or len(week.answers) < 2:
        return [data]
    middle = len(week.answers) // 2
    first = msgspec.structs.replace(week, answers=week.answers[:middle])
    rest = msgspec.structs.replace(week, answers=week.answers[middle:], prompts=())
    return [*_parts(first), *_parts(rest)]


def _without_addresses(week: Week) -> Week:
    answers = tuple(msgspec.structs.replace(answer, cited=()) for answer in week.answers)
    return msgspec.structs.replace(week, answers=answers)


def _week_item(site_id: str, week: str, number: int, parts: int, data: bytes, now: float) -> Put:
    pk, sk = keys.visibility_week(site_id, week, number)
    return Put(TABLE, {"pk": pk, "sk": sk, "parts": parts, "data": data, "ttl": int(now + KEPT_SECONDS)})


def _joined(found: Mapping[tuple[str, str, str], Mapping[str, Any]], site_id: str, week: str) -> Week:
    first = found[TABLE, *keys.visibility_week(site_id, week, 0)]
    parts = [
        shapes.VISIBILITY_WEEK.unpack(found[key]["data"])
        for number in range(first["parts"])
        if (key := (TABLE, *keys.visibility_week(site_id, week, number))) in found
    ]
    return msgspec.structs.replace(parts[0], answers=tuple(answer for part in parts for answer in part.answers))
