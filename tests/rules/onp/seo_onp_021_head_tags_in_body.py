"""Tables of SEO-ONP-021."""

from tests.rules.builders import case, page

FAILS = {
    "a canonical": case(
        page(head_tags_in_body=["canonical"]), seen={"tags": ["canonical"]}, says="the canonical address"
    ),
    "a second title beside that of the head": case(
        page(head_tags_in_body=["title"]), seen={"tags": ["title"]}, says="The body of the page has a second <title>"
    ),
    "the only title": case(
        page(head_tags_in_body=["title"], title=None, title_count=0),
        says="the title. Such tags belong into <head>. If the source already has them there, an element or a text",
    ),
    "several": case(page(head_tags_in_body=["title", "hreflang"]), says="the title and the language versions"),
}
PASSES = {"all where it belongs": case(page())}
NOT_APPLICABLE = {"a page with noindex": case(page(head_tags_in_body=["robots"], robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-ONP-021": (FAILS, PASSES, NOT_APPLICABLE)}
