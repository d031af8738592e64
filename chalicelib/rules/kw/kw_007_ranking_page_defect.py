"""KW-007: one of the most visited pages has a severe open issue."""

from typing import Final

from chalicelib.rules.kw.model import SearchData, Task, Verdicts

TOP_SHARE: Final = 0.1  # share of the pages with clicks: the most visited ones
MOST_NAMED: Final = 5


def check(data: SearchData) -> Verdicts:
    clicked = sorted((-figures.clicks, page) for page, figures in data.pages.items() if figures.clicks)
    for clicks, page in clicked[: -(-len(clicked) // round(1 / TOP_SHARE))]:
        known = data.known.get(page)
        if known is not None:
            yield page, _task(-clicks, sorted(known.defects)) if known.defects else None


def _task(clicks: int, defects: list[str]) -> Task:
    named = "; ".join(defects[:MOST_NAMED])
    return Task(
        f"The page gets {clicks:,} clicks in 28 days and has severe issues: {named}.",
        {"clicks": clicks, "issues": defects[:MOST_NAMED], "issueCount": len(defects)},
    )
