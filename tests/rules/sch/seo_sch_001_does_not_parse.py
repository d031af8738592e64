"""Tables of SEO-SCH-001."""

from tests.rules.builders import case, page

ERROR = "Expecting ',' delimiter in line 3"

FAILS = {
    "a block that does not parse": case(page(structured_errors=[ERROR]), seen={"errors": [ERROR]}, says=ERROR),
    "beside one that does": case(page(structured_types=["Product"], structured_errors=[ERROR])),
}
PASSES = {
    "structured data that parses": case(page(structured_types=["Product"])),
    "a block that says nothing is SEO-SCH-008": case(page(structured_empty=1)),
}
NOT_APPLICABLE = {
    "no structured data": case(page()),
    "a page with noindex": case(page(structured_errors=[ERROR], robots_meta=[("robots", "noindex")])),
}
TABLES = {"SEO-SCH-001": (FAILS, PASSES, NOT_APPLICABLE)}
