"""Tables of SEO-SCH-008."""

from tests.rules.builders import case, page

FAILS = {
    "an empty block alone": case(page(structured_empty=1), seen={"blocks": 1}, says="1 JSON-LD block names no @type"),
    "two beside one that says something": case(
        page(structured_types=["Product"], structured_empty=2), says="2 JSON-LD blocks name no @type"
    ),
}
PASSES = {
    "blocks that say something": case(page(structured_types=["Product"])),
    "a block that does not parse is SEO-SCH-001": case(page(structured_errors=["Expecting value"])),
}
NOT_APPLICABLE = {
    "no structured data": case(page()),
    "a page with noindex": case(page(structured_empty=1, robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-SCH-008": (FAILS, PASSES, NOT_APPLICABLE)}
