"""Tables of SEO-ONP-018."""

from tests.rules.builders import Case, case, page


def levels(*numbers: int) -> Case:
    return case(page(headings=[(level, f"Heading {number}") for number, level in enumerate(numbers)]))


def titled(*headings: tuple[int, str], says: str) -> Case:
    """A page with the title "Tents in summer"."""
    return case(page(title="Tents in summer", headings=list(headings)), says=says)


FAILS = {
    "h4 after h2": case(
        page(headings=[(1, "Tents"), (2, "Poles"), (4, "Carbon"), (2, "Pegs"), (5, "Steel")]),
        seen={
            "count": 2,
            "skipped": [
                {"above": {"level": 2, "text": "Poles"}, "below": {"level": 4, "text": "Carbon"}},
                {"above": {"level": 2, "text": "Pegs"}, "below": {"level": 5, "text": "Steel"}},
            ],
        },
        says='H4 "Carbon" follows H2 "Poles"',
    ),
    "h3 after h1": levels(1, 3),
    "a section that is an h1": titled(
        (2, "Module tents"), (2, "Usage"), (1, "Actions"), (3, "Pitch"), says="make the H1 an H2, because it is only"
    ),
    "a second h1": titled((1, "Tents"), (2, "Usage"), (1, "Actions"), (3, "Pitch"), says="make the H1 an H2"),
    "an h1 above h4": titled((2, "Tents"), (1, "Actions"), (4, "Pitch"), says="make it H2."),
    "an h1 that names the page, below a teaser": titled(
        (2, "News"), (1, "Our tents"), (3, "Poles"), says="make it H2."
    ),
    "an h1 at the top": titled((1, "Actions"), (3, "Pitch"), (2, "Usage"), says="make it H2."),
}
PASSES = {
    "level by level": levels(1, 2, 3, 4),
    "several levels up": levels(1, 2, 3, 4, 2),
    "a page that begins with h3": levels(3, 3, 4),
    "no headings": levels(),
}
NOT_APPLICABLE = {"a page with noindex": case(page(headings=[(1, "A"), (4, "B")], robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-ONP-018": (FAILS, PASSES, NOT_APPLICABLE)}
