"""Tables of SEO-ONP-019."""

from tests.rules.builders import answer, case, page

FAILS = {
    "no lang, on a page in Polish": case(
        page(lang=None, text="Namioty są lekkie i nie zajmują miejsca, ale trzeba je suszyć przed złożeniem."),
        says='lang="pl"',
    ),
    "no lang": case(page(lang=None), seen={"lang": None}, says='lang="en"'),
    "an empty lang": case(page(lang="")),
    "a variable that was not filled in": case(page(lang="%lang%"), says="%lang%"),
    "an underscore": case(page(lang="en_US"), says='"en-US"'),
    "a word": case(page(lang="english"), says="not a language code"),
    "a country": case(page(lang="cz"), says='"cs"'),
    "a long code where there is a short one": case(page(lang="eng"), says='"en"'),
    "an unknown pair of letters": case(page(lang="qq")),
    "on a page with noindex too": case(page(lang=None, robots_meta=[("robots", "noindex")])),
}
PASSES = {
    "a language": case(page(lang="en")),
    "capital letters": case(page(lang="EN")),
    "a region": case(page(lang="de-AT")),
    "a script": case(page(lang="zh-Hant-TW")),
    "a region that is wrong": case(page(lang="en-UK")),
    "a language of three letters": case(page(lang="gsw")),
    "a private tag": case(page(lang="x-piglatin")),
}
NOT_APPLICABLE = {"an error": case(answer("/gone", 404))}
TABLES = {"SEO-ONP-019": (FAILS, PASSES, NOT_APPLICABLE)}
