"""Tables of SEO-ONP-010."""

from tests.rules.builders import case, page

FAILS = {
    "no description": case(page(description=None), seen={"description": None}, says="no meta description"),
    "an empty description": case(page(description=""), says="an empty meta description"),
    "a legal page gets its own advice": case(
        page("/privacy-policy/", description=None),
        seen={
            "advice": {
                "pageKind": "legal",
                "legalKind": "privacy",
                "recommended": "leave_or_noindex",
                "message": "Legal pages are rarely searched for: leave the description out, or set the page to "
                "noindex.",
            }
        },
    ),
    "a basket is better set to noindex": case(page("/cart/", shows_kind=True, description=None), says="noindex"),
    "a list of posts": case(
        page("/category/tents/", body_class="archive category", description=None), says="list of posts"
    ),
    "an empty list of posts": case(
        page("/tag/winter/", description=None, text="Nothing found here."), says="list is empty"
    ),
}
PASSES = {"a description": case(page())}
NOT_APPLICABLE = {"a page with noindex": case(page(description=None, robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-ONP-010": (FAILS, PASSES, NOT_APPLICABLE)}
