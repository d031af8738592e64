"""Pixel widths of titles and descriptions in a search result: titles in Arial at 20 px, descriptions in Arial at 14 px.

The table holds the advance widths of Arial in units of its em (2,048). They are read from Liberation Sans, which has
the same metrics. The table covers Latin, Greek, Cyrillic and general punctuation. Wide (East Asian) characters and
emoji take one em, combining marks take none, and anything else takes the width of a digit. Kerning is left out.
"""

import unicodedata
from functools import lru_cache
from typing import Final

UNITS_PER_EM: Final = 2048
TITLE_SIZE: Final = 20  # px
DESCRIPTION_SIZE: Final = 14  # px
_USUAL: Final = 1139  # a digit, and most small letters
_MOST_CHARACTERS: Final = 5_000  # a bound for odd pages; no search result shows so much

_CHARACTERS_BY_WIDTH: Final = {
    342: "⁄∕",
    384: "′",
    391: "'",
    455: "ijlįĵĺļłſΐίιϊіј‘’‚‛",
    532: "|¦",
    561: "∫",
    569: " !,./:;I[\\]ft\u00a0·ÌÍÎÏìíîïĨĩĪīĬĭĮİıţŧț·ΙΪІЇї∙",
    597: "ľ",
    662: "ℓ",
    682: "()-`r¡¨²³´¸¹ŕŗřˆˇˉ˘˙˚˛˜˝΄΅\u2010\u2011“”„‹›‾",
    684: "{}ŀ",
    717: "•",
    725: "″",
    726: "▪▫◦",
    727: '"',
    747: "гѓⁿ",
    748: "º",
    758: "ª",
    768: "ť",
    786: "Ί",
    797: "*",
    809: "τ",
    819: "°",
    842: "ґ",
    896: "кќ",
    903: "ζ",
    909: "ĳ",
    913: "έε",
    917: "ξ",
    938: "т",
    939: "з",
    961: "^",
    987: "ς",
    1001: "Ґ",
    1012: "∂◊",
    1024: "JcksvxyzçýÿćĉċčĴķĸśŝşšŷźżžșγκλνЈсухѕўỳ‼↑↓↕",
    1045: "эє",
    1067: "чь",
    1075: "χ",
    1088: "в",
    1100: "¶",
    1109: "ЃГпя",
    1120: "ΰυϋύ",
    1124: "±÷√≈≠≤≥",
    1128: "Γ",
    1131: "¯нџ\u2017",
    1139: (
        "#$0123456789?L_abdeghnopqu¢£¤¥§«»àáâãäåèéêëðñòóôõöùúûüþāăąđēĕėęěĝğġģĥħĹĻĽĿŁńņňŋōŏőũūŭůűųƒǻήηθοόа"
        "еорѐёђћѳ\u2013†‡₣₤€"
    ),
    1140: "δ",
    1144: "ийѝ",
    1165: "ρ",
    1173: "бц",
    1178: "β",
    1180: "µμ",
    1184: "άα",
    1193: "ЌК",
    1195: "дл≡",
    1196: "+<=>~¬×−",
    1237: "ŉЗ■□○●◘◙",
    1251: "FTZ¿ßøŢŤŦŹŻŽǿȚΖΤТ",
    1253: "∆",
    1259: "ď",
    1264: "σ",
    1266: "Σ",
    1280: "ъ",
    1301: "ЎУ",
    1328: "φ",
    1331: "Ξ",
    1344: "БЛЬ",
    1365: "Ч",
    1366: "&ABEKPSVXYÀÁÂÃÄÅÈÉÊËÝÞĀĂĄĒĔĖĘĚĶŚŜŞŠŶŸǺȘΑΒΕΚΡΥΧΫЀЅАВЕРХỲ",
    1367: "ΆЁ",
    1368: "ΔΛ",
    1370: "ж",
    1387: "Д",
    1408: "м",
    1413: "π",
    1460: "ψ∑∞",
    1472: "ЄЏИЙПЭы∩",
    1479: "CDHNRUwÇÐÑÙÚÛÜĆĈĊČĎĐĤĦŃŅŇŔŖŘŨŪŬŮŰŲŵΗΝΠЍНСЯẁẃẅ",
    1481: "Ŋ",
    1505: "Ĳ",
    1509: "©®",
    1515: "Ц",
    1531: "Ω",
    1536: "ю",
    1541: "Ώ",
    1557: "Ф",
    1573: "Ω",
    1586: "Ό",
    1593: "GOQÒÓÔÕÖØĜĞĠĢŌŎŐǾΘΟОѲ",
    1599: "ωώ",
    1606: "Έ",
    1621: "Ъ",
    1634: "Φ",
    1643: "ш",
    1664: "њ",
    1685: "фщ",
    1686: "∏",
    1706: "MmΜМ",
    1708: "¼½¾⅛⅜⅝⅞",
    1711: "Ψ",
    1716: "Ή",
    1749: "Ћ",
    1752: "Ύ",
    1771: "Ђ",
    1813: "Ы℅",
    1821: "%æǽ",
    1856: "љ",
    1877: "Ш",
    1891: "Ж",
    1920: "Щ",
    1933: "WœŴẀẂẄ",
    2005: "∟",
    2027: "▲►▼◄",
    2048: "ÆŒǼ\u2014\u2015…‰™←→↔▬",
    2069: "ЊЮ",
    2079: "@",
    2165: "Љ",
    2197: "№",
    2240: "₧",
}


class _Widths(dict[str, int]):
    """Width by character. A character that the table lacks is measured once, by its Unicode properties."""

    def __missing__(self, character: str) -> int:
        if unicodedata.category(character) in ("Mn", "Me", "Cf", "Cc", "Cs", "Zl", "Zp"):
            width = 0
        elif unicodedata.east_asian_width(character) in "WF":
            width = UNITS_PER_EM
        else:
            width = _USUAL
        self[character] = width  # bounded by the number of characters there are
        return width


_WIDTHS: Final = _Widths(
    (character, width) for width, characters in _CHARACTERS_BY_WIDTH.items() for character in characters
)


def title_px(text: str) -> int:
    """Return the width of a title at 20 px, in whole pixels."""
    return _pixels(text, TITLE_SIZE)


def description_px(text: str) -> int:
    """Return the width of a description at 14 px, in whole pixels."""
    return _pixels(text, DESCRIPTION_SIZE)


@lru_cache(maxsize=256)  # two rules measure each title, and two each description
def _pixels(text: str, size: int) -> int:
    units = sum(map(_WIDTHS.__getitem__, text[:_MOST_CHARACTERS]))
    return (units * size + UNITS_PER_EM // 2) // UNITS_PER_EM
