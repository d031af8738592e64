"""What stands at /llms.txt."""

import pytest

from chalicelib.domain.page.facts import TextFile
from chalicelib.domain.readiness.llms import kind_of


@pytest.mark.parametrize(
    ("status", "text", "content_type", "expected"),
    [
        (200, "# Example\n", "text/plain", "ok"),
        (200, "# Example\n", "text/markdown", "ok"),
        (200, "# Example\n", None, "ok"),
        (200, " \n", "text/plain", "empty"),
        (200, "# Example\n", "text/html", "html"),
        (200, "<!DOCTYPE html><HTML>", "text/plain", "html"),
        (404, "", None, "missing"),
        (410, "", None, "missing"),
        (403, "", None, "unreadable"),
        (429, "", None, "unreadable"),
        (500, "", None, "unreadable"),
        (0, "", None, "unreadable"),
        (301, "", None, "unreadable"),
    ],
)
def test_llms_txt_answers_are_classified(status: int, text: str, content_type: str | None, expected: str) -> None:
    file = TextFile("https://example.com/llms.txt", status, text, len(text), content_type)
    assert kind_of(file) == expected
