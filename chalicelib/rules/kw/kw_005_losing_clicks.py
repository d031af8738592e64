"""KW-005: a page has lost a large part of its clicks, while the website as a whole has not."""

from typing import Final

from chalicelib.rules.kw.model import SearchData, Task, Verdicts

LOST_SHARE: Final = 0.3
LOST_CLICKS: Final = 20
WHOLE_LOST: Final = 0.2  # share of the website's clicks; if it lost more, the losses of single pages say nothing


def check(data: SearchData) -> Verdicts:
    if data.before is None or data.total_before is None:
        return
    if data.total.clicks <= (1 - WHOLE_LOST) * data.total_before.clicks:
        return
    for page, before in data.before.items():
        known = data.known.get(page)
        # A page that is gone, or may not be indexed, lost its visitors for a reason that rules report.
        if known is None or known.status != 200 or not known.indexable or before.clicks < LOST_CLICKS:
            continue
        now = data.pages[page].clicks if page in data.pages else 0
        earlier = [before.clicks]
        if data.year_ago is not None and page in data.year_ago:
            earlier.append(data.year_ago[page].clicks)
        lost = all(_lost(now, then) for then in earlier)
        yield page, _task(now, before.clicks, earlier[1:]) if lost else None


def _lost(now: int, then: int) -> bool:
    return then - now >= max(LOST_CLICKS, LOST_SHARE * then)


def _task(now: int, before: int, year_ago: list[int]) -> Task:
    year = f", {year_ago[0]:,} in the same days a year ago" if year_ago else ""
    return Task(
        f"The page got {now:,} clicks in 28 days, {before:,} in the 28 days before{year}.",
        {"clicks": now, "clicksBefore": before, "clicksYearAgo": year_ago[0] if year_ago else None},
        float(before - now),
    )
