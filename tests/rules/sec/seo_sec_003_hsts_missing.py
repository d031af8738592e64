"""Tables of SEO-SEC-003."""

from tests.rules.builders import answer, page, site_case, site_facts

FAILS = {
    "no header": site_case(page("/", headers={}), seen={"header": None}, says="max-age=31536000"),
    "a header that switches it off": site_case(
        page("/", headers={"strict-transport-security": "max-age=0; includeSubDomains"}), says="switches it off"
    ),
}
PASSES = {
    "the header": site_case(),
    "a short time": site_case(page("/", headers={"strict-transport-security": "max-age=300"})),
}
NOT_APPLICABLE = {
    "a website on http": site_case(
        page("http://example.com/", headers={}), site=site_facts(home_url="http://example.com/")
    ),
    "the home page was not read": site_case(page("/a")),
    "the home page fails": site_case(answer("/", 404)),
}
TABLES = {"SEO-SEC-003": (FAILS, PASSES, NOT_APPLICABLE)}
