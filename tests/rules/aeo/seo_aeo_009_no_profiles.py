"""Tables of SEO-AEO-009."""

from typing import Any

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import HOME, answer, page, site_case

PROFILE = "https://social.example.net/example"


def home(**organization: Any) -> PageFacts:
    """The home page of an organization that is described by these properties."""
    return page("/", organization={"name": "Example", "url": HOME, **organization})


FAILS = {
    "no profile": site_case(
        home(), seen={"organization": "Example", "profiles": []}, says="names no profile on another website"
    ),
    "only the website itself": site_case(home(sameAs=[HOME])),
    "only a profile that is gone": site_case(
        home(sameAs=[PROFILE]), answer(PROFILE, 404), seen={"profiles": [PROFILE]}, says=PROFILE
    ),
}
PASSES = {
    "a profile": site_case(home(sameAs=[PROFILE])),
    "one of two is gone": site_case(home(sameAs=[PROFILE, PROFILE + "2"]), answer(PROFILE, 404)),
    "the about page names it": site_case(
        home(), page("/about", organization={"name": "Example", "url": HOME, "sameAs": [PROFILE]})
    ),
    "one profile, written as a text": site_case(home(sameAs=PROFILE)),
}
NOT_APPLICABLE = {
    "no organization": site_case(page("/", organization=None)),
    "an organization without an address": site_case(page("/", organization={"name": "Example"})),
    "the home page cannot be read": site_case(answer("/", 500)),
}
TABLES = {"SEO-AEO-009": (FAILS, PASSES, NOT_APPLICABLE)}
