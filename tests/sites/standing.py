"""What a website's issues, counts and scores are, in a form that two moments are compared by."""

from typing import Any, NamedTuple

from chalicelib.rules import registry
from chalicelib.store import issues, websites
from chalicelib.store.websites import Website
from tests import webhooks

# They change issues for those who receive events. A first opening is no event.
MOVES = ("issue.resolved", "issue.reopened")


class Standing(NamedTuple):
    """``issues``: by rule id, what is shown of each; ``counts``: by rule id, what the score is made of; ``scores``:
    site, health and aeo in tenths."""

    issues: dict[str, dict[str, Any]]
    counts: dict[str, tuple[int, int]]
    scores: tuple[int, int, int | None] | None


def standing(website: Website) -> Standing:
    """What is published of the website now."""
    book, current = issues.load_state(website.id), websites.get(website.workspace_id, website.id)
    assert book is not None and current is not None and current.summary is not None
    score = current.summary.score
    return Standing(
        issues={
            issue.rule_id: {
                "id": issue.id,
                "status": issue.status,
                "severity": registry.BY_ID[issue.rule_id].severity,
                "pages": {page.url: page.evidence for page in issues.load_affected(website.id, issue)},
                "affected": issue.affected_pages,
                "evidence": issue.evidence,
                "first seen": issue.first_seen,
            }
            for issue in book.issues
        },
        counts={rule_id: (count.applicable, count.affected) for rule_id, count in sorted(book.counts.items())},
        scores=None if score is None else (score.entry.site, score.entry.health, score.entry.aeo),
    )


def differences(before: Standing, after: Standing) -> list[str]:
    """What differs between two moments, in words; empty where nothing does."""
    found = [f"scores: {before.scores} -> {after.scores}"] if before.scores != after.scores else []
    for rule_id in sorted(before.counts.keys() | after.counts.keys()):
        was, now = before.counts.get(rule_id), after.counts.get(rule_id)
        if was != now:
            found.append(f"{rule_id} counts: {was} -> {now}")
    for rule_id in sorted(before.issues.keys() | after.issues.keys()):
        one, other = before.issues.get(rule_id, {}), after.issues.get(rule_id, {})
        for name in sorted(one.keys() | other.keys()):
            if one.get(name) != other.get(name):
                found.append(f"{rule_id} {name}: {_short(one.get(name), other.get(name))}")
    return found


def _short(one: Any, other: Any) -> str:
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
        return "; ".join(f"{key}: {one.get(key)} -> {other.get(key)}" for key in keys[:5])
    return f"{one} -> {other}"


def moves(website: Website) -> list[str]:
    """The events that say that an issue was resolved or came back, by rule, and not sent yet."""
    return [
        f"{event.kind} {event.fields['issue']['ruleId']}"
        for event in webhooks.pending()
        if event.site_id == website.id and event.kind in MOVES
    ]
