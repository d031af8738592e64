"""Tables of SEO-LNK-005."""

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import case, links, page, redirect


def path_down(clicks: int) -> list[PageFacts]:
    """The pages on the way to ``/deep``, which is ``clicks`` clicks from the home page."""
    steps = ["/", *(f"/{step}" for step in range(1, clicks)), "/deep"]
    return [page(step, links=links(steps[number + 1])) for number, step in enumerate(steps[:-1])]


FAILS = {"five clicks": case(page("/deep"), *path_down(5), seen={"depth": 5, "limit": 4}, says="5 clicks")}
PASSES = {
    "four clicks": case(page("/deep"), *path_down(4)),
    "a shorter way": case(page("/deep"), *path_down(5), page("/2", links=links("/deep", "/3"))),
    "a redirect is no click": case(
        page("/deep"), *path_down(5)[:3], page("/3", links=links("/old")), redirect("/old", "/deep")
    ),
    "the home page": case(page("/")),
}
NOT_APPLICABLE = {"no click leads there": case(page("/deep"), page("/"))}
TABLES = {"SEO-LNK-005": (FAILS, PASSES, NOT_APPLICABLE)}
