"""Tables of SEO-TEC-013."""

from tests.rules.builders import address, answer, case, page, site_facts

SAME = {name: getattr(page("/"), name) for name in ("title", "text_hash", "description")}

FAILS = {
    "parameters": case(page("/a?season=winter", canonicals=[]), seen={"parameters": "season=winter"}, says="season"),
    "the index file beside its folder": case(
        page("/", canonicals=[]),
        page("/index.html", canonicals=[], **SAME),
        seen={"copies": [address("/index.html")]},
        says="answers at https://example.com/ and at https://example.com/index.html",
    ),
    "the index file as the home page": case(
        page("/index.html", canonicals=[], **SAME),
        page("/", canonicals=[]),
        site=site_facts(home_url=address("/index.html")),
        seen={"copies": [address("/")]},
        says="names no canonical address; name https://example.com/ there",
    ),
    "an empty canonical tag": case(page("/a?id=3", canonicals=[("", "", "html")])),
}
PASSES = {
    "its own": case(page("/a?season=winter")),
    "another one": case(page("/a?season=winter", canonicals=[("", address("/a"), "html")])),
    "in the header": case(page("/a?id=3", canonicals=[("/a", address("/a"), "header")])),
    "an unreadable one is SEO-TEC-019": case(page("/a?id=3", canonicals=[("file:///a", "", "html")])),
    "an index file that names its folder": case(
        page("/", canonicals=[]), page("/index.html", canonicals=[("", address("/"), "html")], **SAME)
    ),
    "a folder that names itself": case(page("/"), page("/index.html", canonicals=[], **SAME)),
    "an index file with another text": case(
        page("/", canonicals=[]), page("/index.html", canonicals=[], text_hash="another")
    ),
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
