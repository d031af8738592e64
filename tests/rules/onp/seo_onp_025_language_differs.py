"""Tables of SEO-ONP-025."""

from typing import Any

from chalicelib.domain.page.facts import PageFacts
from tests.rules.builders import answer, case, page

ENGLISH = "We mend boots and tents and lend both while the work is done, in every season and at every hour. " * 4
HEBREW = "אנחנו מתקנים נעליים ואוהלים ומשאילים את שניהם בזמן שהעבודה נעשית בכל עונה ובכל שעה " * 4
RUSSIAN = "Мы чиним ботинки и палатки и даем их взаймы пока идет работа в любое время года " * 4
JAPANESE = "私たちは靴とテントを修理し作業の間それを貸し出しますあらゆる季節に対応しています" * 8
CHINESE = "我们修理靴子和帐篷并在工作期间借出两者每个季节和每个小时都可以" * 8


def written(text: str, lang: str | None = "en", **changes: Any) -> PageFacts:
    return page("/a", text=text, lang=lang, **changes)


FAILS = {
    "Hebrew declared as English": case(
        written(HEBREW), seen={"lang": "en", "script": "Hebr"}, says='says "en", and the text is written in Hebrew'
    ),
    "English declared as Russian": case(written(ENGLISH, "ru-RU")),
    "Russian declared as Greek": case(written(RUSSIAN, "el")),
    "Japanese declared as Chinese": case(written(JAPANESE, "zh", paragraphs=[JAPANESE[:300]])),
    "the body names the wrong one": case(written(HEBREW, "he", body_lang="en"), says="<body lang>"),
    "the two differ": case(written(ENGLISH, "de", body_lang="en-GB"), says='"de" and <body lang> "en-GB"'),
    "English with a Russian heading": case(written(ENGLISH, "ru", headings=[(1, "Ботинки и палатки")])),
    "Hebrew with English headings of a theme": case(
        written(HEBREW, headings=[(2, "Read more about tents")] * 2, paragraphs=[HEBREW])
    ),
    "with noindex too": case(written(HEBREW, robots_meta=[("robots", "noindex")])),
}
PASSES = {
    "English": case(written(ENGLISH, "en-US")),
    "French, with another code in the body": case(written(ENGLISH, "fr-FR", body_lang="fr")),
    "Hebrew": case(written(HEBREW, "he")),
    "Japanese": case(written(JAPANESE, "ja")),
    "Chinese characters alone may be Japanese": case(written(CHINESE, "ja")),
    "Chinese": case(written(CHINESE, "zh-Hant-TW")),
    "Serbian in either script": case(written(RUSSIAN, "sr")),
    "Russian in Latin letters, as it says": case(written(ENGLISH, "ru-Latn")),
    "the body names the right one": case(written(HEBREW, "he-IL", body_lang="he")),
    "a short text": case(written(HEBREW[:150])),
    "half and half": case(written(HEBREW + ENGLISH)),
    "names of icons under Russian headings": case(
        written("tent boots pole camp fire light " * 9, "ru", headings=[(2, "Значки палаток и ботинок")] * 5)
    ),
    "names of icons": case(written("fa-tent fa-boots icon_pole icon.camp " * 20, "ru")),
    "program code between Hebrew paragraphs": case(written(ENGLISH, "he", paragraphs=[HEBREW[:160], ENGLISH[:95]])),
    "English between Japanese paragraphs": case(written(ENGLISH, "ja", paragraphs=[JAPANESE[:300]])),
    "no text": case(written("")),
}
NOT_APPLICABLE = {
    "no language is SEO-ONP-019": case(written(HEBREW, None)),
    "an invalid one too": case(written(HEBREW, "english")),
    "an error": case(answer("/a", 404)),
}
TABLES = {"SEO-ONP-025": (FAILS, PASSES, NOT_APPLICABLE)}
