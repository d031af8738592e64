"""Tables of SEO-HRE-003."""

from chalicelib.domain.page.facts import Hreflang
from tests.rules.builders import Case, address, case, page


def naming(*codes: str, seen: dict[str, object] | None = None, says: str = "") -> Case:
    """A page whose hreflang annotations carry these codes."""
    return case(page(hreflang=[Hreflang(code, address(f"/{code}")) for code in codes]), seen=seen, says=says)


FAILS = {
    "en-UK": naming(
        "en",
        "en-UK",
        seen={"codes": [{"code": "en-UK", "fault": 'there is no region "UK"; write "en-GB".'}]},
        says='write "en-GB"',
    ),
    "an underscore": naming("de_AT", says='"de-AT"'),
    "a country": naming("at", says='"de"'),
    "a country without a language of its name": naming("mx", says='"en-MX"'),
    "three letters": naming("eng", says='"en"'),
    "an unknown region": naming("en-EU", says="ISO 3166-1"),
    "a number for a region": naming("es-419", says="ISO 3166-1"),
    "a word": naming("english"),
    "nothing": naming("", says="empty"),
    "two bad codes": naming("en-UK", "xx", says="1 more"),
}
PASSES = {
    "a language": naming("en"),
    "a region": naming("en-GB", "pt-br"),
    "a script": naming("zh-Hant", "zh-Hant-TW"),
    "x-default": naming("x-default", "X-Default"),
}
NOT_APPLICABLE = {
    "no hreflang": case(page()),
    "a page with noindex": case(
        page(hreflang=[Hreflang("en-UK", address("/uk"))], robots_meta=[("robots", "noindex")])
    ),
}
TABLES = {"SEO-HRE-003": (FAILS, PASSES, NOT_APPLICABLE)}
