"""Tables of SEO-SMP-008."""

from tests.rules.builders import ORIGIN, Case, case, page, site_case, site_facts


def dated(*dates: str | None, **changes: object) -> Case:
    entries = [(f"{ORIGIN}/{number}", date) for number, date in enumerate(dates)]
    return site_case(site=site_facts(sitemap_urls=entries), **changes)  # type: ignore[arg-type]


FAILS = {
    "one day": dated(*["2025-09-01"] * 20, seen={"addresses": 20, "days": {"2025-09-01": 20}}, says="All 20 dates"),
    "two days, at many times": dated(
        *[f"2025-09-0{1 + hour % 2}T{hour:02}:10:00+00:00" for hour in range(24)],
        seen={"days": {"2025-09-01": 12, "2025-09-02": 12}},
    ),
    "dates of a feed": dated(*["Mon, 01 Sep 2025 10:00:00 GMT"] * 20, seen={"days": {"2025-09-01": 20}}),
    "some without": dated(*["2025-09-01"] * 20, None, None),
}
PASSES = {
    "three days": dated(*["2025-09-01"] * 20, "2025-09-02", "2025-09-03"),
    "all different": dated(*[f"2025-08-{day:02}" for day in range(1, 29)]),
}
NOT_APPLICABLE = {
    "nineteen dates": dated(*["2025-09-01"] * 19),
    "no dates": dated(*[None] * 30),
    "no date that can be read": dated(*["yesterday"] * 30),
    "a page is not judged": case(page()),
}
TABLES = {"SEO-SMP-008": (FAILS, PASSES, NOT_APPLICABLE)}
