"""Tables of SEO-ONP-014."""

from tests.rules.builders import case, page

FAILS = {"two": case(page(description="The first one.", description_count=2), seen={"count": 2}, says="The first one.")}
PASSES = {"one": case(page()), "none": case(page(description=None, description_count=0))}
NOT_APPLICABLE = {"a page with noindex": case(page(description_count=3, robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-ONP-014": (FAILS, PASSES, NOT_APPLICABLE)}
