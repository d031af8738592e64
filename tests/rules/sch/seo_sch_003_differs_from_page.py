"""Tables of SEO-SCH-003."""

from tests.rules.builders import case, page

PRICE = ("price", "17.35", "£49.00")

FAILS = {
    "another price": case(
        page(structured_types=["Product"], schema_differs=[PRICE]),
        seen={"differences": [{"property": "price", "structuredData": "17.35", "page": "£49.00"}]},
        says='the price "17.35", the page shows "£49.00"',
    ),
    "another name": case(
        page(structured_types=["Product"], schema_differs=[("name", "Old tent", "New tent"), PRICE]),
        says="product name",
    ),
}
PASSES = {"the same on both": case(page(structured_types=["Product"]))}
NOT_APPLICABLE = {
    "a page without structured data": case(page()),
    "a page with noindex": case(
        page(structured_types=["Product"], schema_differs=[PRICE], robots_meta=[("robots", "noindex")])
    ),
}
TABLES = {"SEO-SCH-003": (FAILS, PASSES, NOT_APPLICABLE)}
