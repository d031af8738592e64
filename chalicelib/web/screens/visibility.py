"""AI visibility: how often assistants name and cite the website, by week and by question, and the gaps."""

from collections import Counter
from typing import Any, Final

from chalicelib.web.charts import Point
from chalicelib.web.page import Page
from chalicelib.web.replies import Reply

PER: Final = 25
WEEKS: Final = "12"
SOURCES: Final = 8  # cited hosts that are shown for a question


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "read_visibility", {"weeks": WEEKS, "limit": str(PER), **page.sent("weeks", "offset")}


def show(page: Page) -> Reply:
    weeks = page.query.get("weeks", WEEKS)
    parts = page.parts(
        answers=lambda: page.ask(*data(page)),
        gaps=lambda: page.ask("read_visibility_gaps", {"weeks": weeks}),
    )
    lines, chosen = [], None
    if parts["answers"].ready:
        listed = parts["answers"].value.weeks
        lines = [Point(one.week[5:], _percent(one.mention_rate)) for one in reversed(listed)]
        chosen = next((one for one in listed if one.week == page.query.get("week")), listed[0] if listed else None)
    return page.view(
        "visibility.html",
        "AI visibility",
        parts=parts,
        lines=lines,
        chosen=chosen,
        models=_models(chosen),
        sources=_sources,
    )


def _percent(rate: float | None) -> float | None:
    return None if rate is None else round(100 * rate, 1)


def _models(week: Any) -> list[str]:
    """Return the assistants that answered in the week."""
    if week is None:
        return []
    return sorted({answer.model_name for prompt in week.prompts for answer in prompt.answers})


def _sources(prompt: Any) -> list[str]:
    """Return the hosts that the answers to a prompt cite, the most often cited first."""
    return [
        host for host, _ in Counter(one for answer in prompt.answers for one in answer.sources).most_common(SOURCES)
    ]
