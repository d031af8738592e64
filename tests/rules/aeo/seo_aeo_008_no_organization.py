"""Tables of SEO-AEO-008."""

from chalicelib.domain.page.facts import Resource
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
    "a manual that names an organisation without its address": site_case(
        page("/", organization={"name": "Example"}, generator="makeinfo"), says="has no url"
    ),
    **{
        f"made by {generator}": site_case(page("/", organization=None, generator=generator))
        for generator in ("WordPress 6.4", "Hugo 0.120", "ikiwiki")
    },
}
PASSES = {
    "a person on the home page": site_case(page("/", organization=None, person="Ada Byron")),
    "on the home page": site_case(),
    "on the about page": site_case(page("/", organization=None), page("/about-us", organization=COMPLETE)),
}
NOT_APPLICABLE = {
    "the home page was not read": site_case(page("/a", organization=None)),
    **{
        f"a manual made by {generator}": site_case(page("/", organization=None, generator=generator))
        for generator in ("javadoc/PackageIndexWriter", "LaTeX2HTML v2002", "makeinfo", "Doxygen 1.9", "DebianDoc-SGML")
    },
    "a manual made by Sphinx": site_case(
        page("/", organization=None, resources=[Resource(address("/_static/doctools.js"), "script")])
    ),
    "the home page fails": site_case(answer("/", 404)),
}
TABLES = {"SEO-AEO-008": (FAILS, PASSES, NOT_APPLICABLE)}
