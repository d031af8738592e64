"""Tables of SEO-SCH-005."""

from typing import Any

from tests.rules.builders import Case, case, links, page


def two_clicks_away(**changes: Any) -> Case:
    """A page two clicks from the home page."""
    return case(
        page("/shop/tents/", **{"breadcrumb_visible": True, **changes}),
        page("/", links=links("/shop/")),
        page("/shop/", links=links("/shop/tents/")),
    )


FAILS = {
    "a trail without markup": case(
        page("/shop/tents/", breadcrumb_visible=True, structured_types=["Product"]),
        page("/", links=links("/shop/")),
        page("/shop/", links=links("/shop/tents/")),
        seen={"depth": 2, "types": ["Product"]},
        says="2 clicks from the home page",
    )
}
PASSES = {"a trail with markup": two_clicks_away(structured_types=["BreadcrumbList"])}
NOT_APPLICABLE = {
    "no trail": two_clicks_away(breadcrumb_visible=False),
    "one click away": case(page("/shop/", breadcrumb_visible=True), page("/", links=links("/shop/"))),
    "no way there is known": case(page("/shop/", breadcrumb_visible=True), page("/")),
    "a page with noindex": two_clicks_away(robots_meta=[("robots", "noindex")]),
}
TABLES = {"SEO-SCH-005": (FAILS, PASSES, NOT_APPLICABLE)}
