"""Tables of SEO-SCH-004."""

from dataclasses import replace

from tests.rules.builders import Case, case, page


def among(folder: str, count: int, typed: int = 0, *, kind: str = "Recipe", own: tuple[str, ...] = ()) -> Case:
    """A page of a folder with ``count`` pages, ``typed`` of which carry the type."""
    others = (
        page(f"/{folder}/{number}", structured_types=[kind] if number < typed else []) for number in range(count - 1)
    )
    return case(page(f"/{folder}/own", structured_types=list(own)), *others)


FAILS = {
    "recipes without a type": case(
        page("/recipes/own", structured_types=["BreadcrumbList"]),
        *(page(f"/recipes/{number}") for number in range(5)),
        seen={"template": "/recipes/*", "kind": "recipe", "pages": 6, "withType": 0},
        says="None of the 6 recipe pages (/recipes/*) says in structured data what it is; add Recipe",
    ),
    "fewer than one in five": replace(
        among("recipes", 6, 1), says="Only 1 of 6 recipe pages (/recipes/*) say in structured data what they are, and"
    ),
    "products by their body class": case(
        page("/p/own", body_class="template-product"),
        *(page(f"/p/{number}", body_class="template-product") for number in range(4)),
        says="add Product",
    ),
    "events": among("veranstaltungen", 5),
    "articles": among("blog", 5),
}
PASSES = {
    "one in five": among("recipes", 5, 1),
    "the page that carries it": among("recipes", 10, 0, own=("Recipe",)),
    "articles with a type": among("blog", 5, 4, kind="BlogPosting", own=("BlogPosting",)),
}
NOT_APPLICABLE = {
    "four pages": among("recipes", 4),
    "lists of articles": among("magazine/category", 6),
    "another kind of page": among("regions", 8),
    "a page with noindex": case(
        page("/recipes/own", robots_meta=[("robots", "noindex")]),
        *(page(f"/recipes/{number}", structured_types=[]) for number in range(6)),
    ),
}
TABLES = {"SEO-SCH-004": (FAILS, PASSES, NOT_APPLICABLE)}
