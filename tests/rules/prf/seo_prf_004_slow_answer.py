"""Tables of SEO-PRF-004."""

from tests.rules.builders import answer, case, page

FAILS = {"slow": case(page(ttfb_ms=801), seen={"ttfbMs": 801, "limitMs": 800}, says="801 ms")}
PASSES = {"the limit": case(page(ttfb_ms=800)), "quick": case(page(ttfb_ms=40))}
NOT_APPLICABLE = {
    "not measured": case(page()),
    "noindex": case(page(ttfb_ms=2_000, robots_meta=[("robots", "noindex")])),
    "an error": case(answer("/a", 404, ttfb_ms=2_000)),
}
TABLES = {"SEO-PRF-004": (FAILS, PASSES, NOT_APPLICABLE)}
