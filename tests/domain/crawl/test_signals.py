"""What the lines about AI use in robots.txt may say."""

import pytest

from chalicelib.domain.crawl import robots
from chalicelib.domain.crawl.signals import faults_of


def faults(line: str) -> list[tuple[str, str]]:
    (signal,) = robots.parse(f"User-agent: *\n{line}\n").signals
    return [(fault.part, fault.why) for fault in faults_of(signal)]


@pytest.mark.parametrize(
    "line",
    [
        "Content-Signal: search=yes, ai-input=no, ai-train=no, use=immediate",
        "content-signal: SEARCH=Yes,USE=full",
        "Content-Signal: ai-train = no",
        "Content-Signal: another=thing",
        "Content-Usage: train-ai=n",
        "Content-Usage: /images/ train-ai=n, search=y;exp=1",
    ],
)
def test_standard_content_signals_are_accepted(line: str) -> None:
    assert faults(line) == []


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Content-Signal: train-ai=n", [("train-ai=n", "train-ai is a key of Content-Usage")]),
        ("Content-Usage: ai-train=no", [("ai-train=no", "ai-train is a key of Content-Signal")]),
        ("Content-Usage: use=full", [("use=full", "use is a key of Content-Signal")]),
        ("Content-Signal: ai-train=n", [("ai-train=n", "ai-train takes yes or no")]),
        ("Content-Usage: search=yes", [("search=yes", "search takes y or n")]),
        ("Content-Signal: use=some", [("use=some", "use takes immediate, reference or full")]),
        ("Content-Signal: search", [("search", "it is not a pair such as search=yes")]),
        ("Content-Signal: search=", [("search=", "it is not a pair such as search=yes")]),
        ("Content-Signal: =yes", [("=yes", "it is not a pair such as search=yes")]),
        ("Content-Signal: /a search=yes", [("/a", "it is not a pair such as search=yes")]),
        ("Content-Signal: ai_train=no", [("ai_train=no", "ai-train is what is meant")]),
        ("Content-Signal:", [("", "it says nothing")]),
        ("Content-Usage: /a", [("", "it says nothing")]),
    ],
)
def test_unknown_content_signals_are_reported(line: str, found: list[tuple[str, str]]) -> None:
    assert faults(line) == found


def test_a_cut_off_word_at_the_end_of_a_long_value_is_not_reported() -> None:
    assert faults("Content-Signal: " + "search=yes, " * 100) == []
