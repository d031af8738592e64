"""Where suggestions come from: a closed set, told to those who read the API."""

import re
from pathlib import Path
from typing import get_args

from chalicelib.domain.suggestion import SuggestedFrom

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "api.md"


def test_the_documentation_lists_exactly_the_existing_sources() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").split("## Suggestions")[1].split("\n## ")[0]
    header, *sources = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert header == "suggestedFrom" and sorted(sources) == sorted(get_args(SuggestedFrom))
