"""Tables of SEO-LNK-006."""

from chalicelib.domain.page.facts import Link
from tests.rules.builders import address, answer, case, links, page

FAILS = {
    "no links": case(page("/a"), page("/"), seen={"internalLinks": 0, "externalLinks": 0}, says="No link"),
    "links to other websites only": case(
        page("/a", external_links=[Link("https://other.example/")]), page("/"), seen={"externalLinks": 1}
    ),
    "links that only scripts follow": case(page("/a", uncrawlable_links=7), page("/"), seen={"uncrawlableLinks": 7}),
}
PASSES = {
    "a link": case(page("/a", links=links("/")), page("/")),
    "a frameset": case(page("/a", frames=[address("/menu")]), page("/")),
    "a page that forwards": case(page("/a", meta_refresh=address("/b")), page("/")),
}
NOT_APPLICABLE = {
    "the only page": case(page("/")),
    "a log-in page": case(page("/account/login/", shows_kind=True), page("/")),
    "noindex": case(page("/a", robots_meta=[("robots", "noindex")]), page("/")),
    "an error": case(answer("/a", 404), page("/")),
}
TABLES = {"SEO-LNK-006": (FAILS, PASSES, NOT_APPLICABLE)}
