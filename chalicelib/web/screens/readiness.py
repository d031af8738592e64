"""AI readiness: which crawlers may read the website, its llms.txt, and the facts that it publishes about its owner."""

from difflib import unified_diff
from typing import Any, Final

from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

LINES: Final = 200  # lines of a difference or a text


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "read_readiness", {}


def show(page: Page) -> Reply:
    parts = page.parts(
        stored=lambda: page.ask("read_readiness"),
        crawlers=lambda: page.ask("read_ai_crawlers"),
        llms=lambda: page.ask("read_llms_txt"),
    )
    llms = parts["llms"].value if parts["llms"].ready else None
    verdicts = [one.allowed for one in parts["crawlers"].value.crawlers] if parts["crawlers"].ready else [None]
    blocked = None if None in verdicts else verdicts.count(False)
    values: dict[str, Any] = {"differences": _differences(llms), "blocked": blocked, "most": LINES}
    return page.view("readiness.html", "AI readiness", parts=parts, **values)


def _differences(llms: Any) -> list[tuple[str, list[str]]]:
    """Return the live text compared by line with the draft, and with what was written last."""
    if llms is None:
        return []
    live = llms.live.text or ""
    others = {
        "From the live file to the draft": None if llms.draft is None else llms.draft.text,
        "From the last written text to the live file": None if llms.last_change is None else llms.last_change.value,
    }
    found = []
    for name, text in others.items():
        if text is not None:
            old, new = (live, text) if "draft" in name else (text, live)
            lines = unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=2)
            found.append((name, [*lines][2:]))
    return found
