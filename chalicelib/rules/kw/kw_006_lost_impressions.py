"""KW-006: a page that search showed often, and now hardly shows any more."""

from typing import Final

from chalicelib.rules.kw.model import SearchData, Task, Verdicts

LEAST_BEFORE: Final = 200
LEFT_SHARE: Final = 0.1


def check(data: SearchData) -> Verdicts:
    if data.before is None:
        return
    for page, before in data.before.items():
        known = data.known.get(page)
        if known is None or known.status != 200 or not known.indexable or before.impressions < LEAST_BEFORE:
            continue
        now = data.pages.get(page)
        impressions, clicks = (now.impressions, now.clicks) if now is not None else (0, 0)
        if impressions >= LEFT_SHARE * before.impressions:
            yield page, None
            continue
        yield (
            page,
            Task(
                f"The page was shown {impressions:,} times in 28 days, {before.impressions:,} times in the 28 "
                "days before.",
                {"impressions": impressions, "impressionsBefore": before.impressions},
                float(max(0, before.clicks - clicks)),
            ),
        )
