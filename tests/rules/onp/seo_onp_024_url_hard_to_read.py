"""Tables of SEO-ONP-024."""

from tests.rules.builders import address, case, page

FAILS = {
    "underscores": case(page("/spring_tents/"), seen={"faults": ["underscores"]}, says="underscores"),
    "upper case": case(page("/Tents/"), seen={"faults": ["upper-case letters"]}),
    "a space": case(page("/spring%20tents/"), seen={"faults": ["spaces"]}),
    "a double slash": case(page("/shop//tents/"), seen={"faults": ["a double slash"]}),
    "a long path": case(page("/" + "tents-" * 20), seen={"faults": ["a path of 121 characters"]}),
    "three parameters": case(page("/tents?a=1&b=2&c="), seen={"faults": ["3 parameters"]}),
    "several at once": case(page("/Tents_and_packs"), says="underscores and upper-case letters"),
}
PASSES = {
    "words with hyphens": case(page("/shop/tents-for-two/")),
    "the home page": case(page("/")),
    "two parameters": case(page("/tents?a=1&b=2")),
    "115 characters": case(page("/" + "x" * 114)),
    "letters beyond ASCII": case(page("/%C3%BCber-uns/")),
    "many letters beyond ASCII": case(page("/" + "%D1%82" * 60)),
    "another address is canonical": case(
        page("/Tents?a=1&b=2&c=3", canonicals=[("", address("/tents"), "html")]), page("/tents")
    ),
}
NOT_APPLICABLE = {"a page with noindex": case(page("/Spring_Tents", robots_meta=[("robots", "noindex")]))}
TABLES = {"SEO-ONP-024": (FAILS, PASSES, NOT_APPLICABLE)}
