"""Tables of SEO-SEC-006."""

from tests.rules.builders import NOW, Case, case, page, site_case, site_facts

DAY = 86_400


def ending(days: float, error: str | None = None, **changes: object) -> Case:
    facts = site_facts(certificate_not_after=int(NOW + days * DAY), certificate_error=error)
    return site_case(site=facts, **changes)  # type: ignore[arg-type]


FAILS = {
    "thirteen days": ending(
        13.5, seen={"host": "example.com", "daysLeft": 13, "notAfter": "2027-01-28"}, says="in 13 days"
    ),
    "ran out": ending(-1, "certificate has expired", says="ran out on 2027-01-14"),
    "another host": ending(90, "Hostname mismatch", seen={"error": "Hostname mismatch"}, says="not valid"),
}
PASSES = {"fourteen days": ending(14), "three months": ending(90)}
NOT_APPLICABLE = {
    "nobody looked": site_case(),
    "no connection": site_case(site=site_facts(certificate_error="no answer in 10 seconds")),
    "a page is not judged": case(page()),
}
TABLES = {"SEO-SEC-006": (FAILS, PASSES, NOT_APPLICABLE)}
