"""Tables of SEO-TEC-040."""

from tests.rules.builders import address, answer, page, site_case

TARGET = address("/en/")

FAILS = {
    "a refresh at once": site_case(
        page("/", meta_refresh=TARGET, forwards=True), seen={"leadsTo": TARGET, "by": "refresh"}, says="by a refresh"
    ),
    "a refresh to another website": site_case(
        page("/", meta_refresh="https://other.example/", forwards=True), says="https://other.example/"
    ),
    "a script": site_case(
        page("/", script_forward=TARGET, words=5, scripts=1), seen={"leadsTo": TARGET, "by": "script"}
    ),
}
PASSES = {
    "a page": site_case(page("/")),
    "a refresh after a while": site_case(page("/", meta_refresh=TARGET)),
    "a refresh to itself": site_case(page("/", meta_refresh=address("/"))),
    "a script on a page that says something": site_case(page("/", script_forward=TARGET, words=50)),
    "a script that leads to the page itself": site_case(page("/", script_forward=address("/"), words=5)),
}
NOT_APPLICABLE = {
    "the home page is an error": site_case(answer("/", 503)),
    "nobody read the home page": site_case(page("/other")),
}
TABLES = {"SEO-TEC-040": (FAILS, PASSES, NOT_APPLICABLE)}
