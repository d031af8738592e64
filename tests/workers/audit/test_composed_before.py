"""Rechecks and the descriptions that an audit composed from the lists of pages."""

from types import SimpleNamespace
from typing import Any

import pytest

from chalicelib.domain.suggestion import Suggestion
from chalicelib.workers.audit import amending

URL = "https://example.com/snow"


def test_descriptions_composed_from_headings_or_lists_are_found_for_a_recheck(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kept = [
        Suggestion(f"{URL}/1", "1", None, "Tents: poles, pegs and ropes", source="headings"),
        Suggestion(f"{URL}/2", "2", None, "Tents: winter, summer, rain", source="list"),
        Suggestion(f"{URL}/3", "3", None, "Our tents are sewn by hand.", source="first_paragraph"),
        Suggestion(f"{URL}/4", "4", None, None),
    ]
    monkeypatch.setattr(amending.issues, "load_suggested", lambda site, issue: kept if issue.rule_id[-1] == "0" else [])
    issues: Any = [SimpleNamespace(rule_id=rule_id, suggestions=object()) for rule_id in ("SEO-ONP-010", "SEO-ONP-001")]
    book: Any = SimpleNamespace(issues=issues)
    stored = amending._StoredSuggestions(book, "site_1", {f"{URL}/1", f"{URL}/3"})
    assert stored.composed(["SEO-ONP-001", "SEO-ONP-010", "SEO-ONP-012"]) == {
        f"{URL}/1": "Tents: poles, pegs and ropes",
        f"{URL}/2": "Tents: winter, summer, rain",
    }
    assert stored._of("SEO-ONP-010").keys() == {f"{URL}/2", f"{URL}/4"}
