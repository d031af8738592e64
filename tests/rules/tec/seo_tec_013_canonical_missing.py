"""Tables of SEO-TEC-013."""

from tests.rules.builders import address, answer, case, page

FAILS = {
    "parameters": case(page("/a?season=winter", canonicals=[]), seen={"parameters": "season=winter"}, says="season"),
    "an empty canonical tag": case(page("/a?id=3", canonicals=[("", "", "html")])),
}
PASSES = {
    "its own": case(page("/a?season=winter")),
    "another one": case(page("/a?season=winter", canonicals=[("", address("/a"), "html")])),
    "in the header": case(page("/a?id=3", canonicals=[("/a", address("/a"), "header")])),
    "an unreadable one is SEO-TEC-019": case(page("/a?id=3", canonicals=[("file:///a", "", "html")])),
    "no parameters": case(page("/a", canonicals=[])),
    "the same text as another page is SEO-CON-002": case(
        page("/a?id=3", canonicals=[], text_hash="same"), page("/b", text_hash="same")
    ),
    "a tracking parameter is SEO-TEC-028": case(
        page("/a?utm_source=mail", canonicals=[], text_hash="same"), page("/a", text_hash="same")
    ),
}
NOT_APPLICABLE = {
    "noindex": case(page("/a?id=3", canonicals=[], robots_meta=[("robots", "noindex")])),
    "an error": case(answer("/a?id=3", 404)),
}
TABLES = {"SEO-TEC-013": (FAILS, PASSES, NOT_APPLICABLE)}
