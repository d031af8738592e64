"""Tables of SEO-ONP-003."""

from tests.rules.builders import case, page

FAILS = {"two titles": case(page(title_count=2), seen={"titles": 2}, says="2 <title> tags")}
PASSES = {"one title": case(page()), "no title": case(page(title=None, title_count=0))}
NOT_APPLICABLE = {"a page with noindex": case(page(title_count=2, robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-ONP-003": (FAILS, PASSES, NOT_APPLICABLE)}
