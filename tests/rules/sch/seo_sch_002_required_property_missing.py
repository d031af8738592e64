"""Tables of SEO-SCH-002."""

from tests.rules.builders import case, page

LACKING = [("Product", "Tent for two", ["offers, aggregateRating or review"]), ("Recipe", "", ["image"])]

FAILS = {
    "a product without an offer": case(
        page(structured_types=["Product"], schema_missing=LACKING[:1]),
        seen={
            "missing": [
                {"type": "Product", "name": "Tent for two", "properties": ["offers, aggregateRating or review"]}
            ]
        },
        says='The Product "Tent for two" in the page\'s JSON-LD lacks offers, aggregateRating or review',
    ),
    "two things": case(
        page(structured_types=["Product", "Recipe"], schema_missing=LACKING),
        says="1 more thing lacks required properties",
    ),
}
PASSES = {"nothing is missing": case(page(structured_types=["Product"]))}
NOT_APPLICABLE = {
    "a page without structured data": case(page()),
    "a page with noindex": case(
        page(structured_types=["Product"], schema_missing=LACKING, robots_meta=[("robots", "noindex")])
    ),
}
TABLES = {"SEO-SCH-002": (FAILS, PASSES, NOT_APPLICABLE)}
