"""Tables of SEO-AEO-008."""

from tests.rules.builders import HOME, address, answer, page, site_case

COMPLETE = {"name": "Example", "url": HOME}

FAILS = {
    "a person on another page": site_case(page("/", organization=None), page("/ada", person="Ada Byron")),
    "none at all": site_case(
        page("/", organization=None), seen={"organization": None, "looked": [HOME]}, says="JSON-LD"
    ),
    "no url": site_case(page("/", organization={"name": "Example"}), says="has no url"),
    "neither name nor url": site_case(page("/", organization={"telephone": "1"}), says="no name and url"),
    "on another page": site_case(page("/", organization=None), page("/tents", organization=COMPLETE)),
    "the about page has none either": site_case(
        page("/", organization=None), page("/about/"), seen={"looked": [HOME, address("/about/")]}
    ),
}
PASSES = {
    "a person on the home page": site_case(page("/", organization=None, person="Ada Byron")),
    "on the home page": site_case(),
    "on the about page": site_case(page("/", organization=None), page("/about-us", organization=COMPLETE)),
}
NOT_APPLICABLE = {
    "the home page was not read": site_case(page("/a", organization=None)),
    "the home page fails": site_case(answer("/", 404)),
}
TABLES = {"SEO-AEO-008": (FAILS, PASSES, NOT_APPLICABLE)}
