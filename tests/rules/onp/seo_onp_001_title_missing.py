"""Tables of SEO-ONP-001."""

from tests.rules.builders import answer, case, page, robots, site_facts

FAILS = {
    "no title tag, and a description in the body": case(page(title=None, head_tags_in_body=["description"])),
    "an empty title, and another one in the body": case(page(title="", head_tags_in_body=["title"])),
    "no title tag": case(page(title=None, title_count=0), seen={"title": None}, says="no <title>"),
    "an empty title": case(page(title=""), seen={"title": ""}, says="empty"),
}
PASSES = {
    "a title that a misplaced tag put into the body": case(page(title=None, head_tags_in_body=["title"])),
    "a title": case(page()),
    "a title of one character": case(page(title="X")),
}
NOT_APPLICABLE = {
    "a page with noindex": case(page(title=None, robots_meta=[("robots", "noindex")])),
    "a page with noindex in the header": case(page(title=None, headers={"x-robots-tag": "noindex"})),
    "a page disallowed for the search crawler": case(
        page("/private", title=None), site=site_facts(robots=robots("User-agent: Googlebot\nDisallow: /private"))
    ),
    "an error": case(answer("/gone", 404)),
    "an image": case(page("/logo.png", title=None, is_html=False, content_type="image/png")),
}
TABLES = {"SEO-ONP-001": (FAILS, PASSES, NOT_APPLICABLE)}
