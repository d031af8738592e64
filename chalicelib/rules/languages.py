"""Language, script and region codes as the attributes hreflang and lang use them: ISO 639-1, ISO 15924 and ISO
3166-1."""

import re
from collections.abc import Container, Mapping
from typing import Final

from chalicelib.suggestions.languages import primary

# ISO 639-1, with bh and sh, which were withdrawn but are still used.
LANGUAGES: Final = frozenset(
    """
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en
    eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv
    ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne
    ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss
    st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
    """.split()
)
# ISO 639-2 codes of languages that have a two-letter code: BCP 47 asks for the short one.
SHORTER: Final[Mapping[str, str]] = {
    long: short
    for pair in """
    aar:aa abk:ab afr:af aka:ak alb:sq amh:am ara:ar arg:an arm:hy asm:as ava:av ave:ae aym:ay aze:az bak:ba bam:bm
    baq:eu bel:be ben:bn bis:bi bod:bo bos:bs bre:br bul:bg bur:my cat:ca ces:cs cha:ch che:ce chi:zh chu:cu chv:cv
    cor:kw cos:co cre:cr cym:cy cze:cs dan:da deu:de div:dv dut:nl dzo:dz ell:el eng:en epo:eo est:et eus:eu ewe:ee
    fao:fo fas:fa fij:fj fin:fi fra:fr fre:fr fry:fy ful:ff geo:ka ger:de gla:gd gle:ga glg:gl glv:gv gre:el grn:gn
    guj:gu hat:ht hau:ha heb:he her:hz hin:hi hmo:ho hrv:hr hun:hu hye:hy ibo:ig ice:is ido:io iii:ii iku:iu ile:ie
    ina:ia ind:id ipk:ik isl:is ita:it jav:jv jpn:ja kal:kl kan:kn kas:ks kat:ka kau:kr kaz:kk khm:km kik:ki kin:rw
    kir:ky kom:kv kon:kg kor:ko kua:kj kur:ku lao:lo lat:la lav:lv lim:li lin:ln lit:lt ltz:lb lub:lu lug:lg mac:mk
    mah:mh mal:ml mao:mi mar:mr may:ms mkd:mk mlg:mg mlt:mt mon:mn mri:mi msa:ms mya:my nau:na nav:nv nbl:nr nde:nd
    ndo:ng nep:ne nld:nl nno:nn nob:nb nor:no nya:ny oci:oc oji:oj ori:or orm:om oss:os pan:pa per:fa pli:pi pol:pl
    por:pt pus:ps que:qu roh:rm ron:ro rum:ro run:rn rus:ru sag:sg san:sa sin:si slk:sk slo:sk slv:sl sme:se smo:sm
    sna:sn snd:sd som:so sot:st spa:es sqi:sq srd:sc srp:sr ssw:ss sun:su swa:sw swe:sv tah:ty tam:ta tat:tt tel:te
    tgk:tg tgl:tl tha:th tib:bo tir:ti ton:to tsn:tn tso:ts tuk:tk tur:tr twi:tw uig:ug ukr:uk urd:ur uzb:uz ven:ve
    vie:vi vol:vo wel:cy wln:wa wol:wo xho:xh yid:yi yor:yo zha:za zho:zh zul:zu
    """.split()
    for long, short in [pair.split(":")]
}
# ISO 3166-1 alpha-2.
REGIONS: Final = frozenset(
    """
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA
    CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA
    GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP
    KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS
    MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS
    RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW
    TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
    """.split()
)
# Regions and languages that people write but no standard has, and what they mean.
_MEANT_REGION: Final[Mapping[str, str]] = {"UK": "GB", "EN": "GB", "EL": "GR"}
_MEANT_LANGUAGE: Final[Mapping[str, str]] = {
    "cz": "cs", "dk": "da", "gr": "el", "jp": "ja", "ua": "uk", "cn": "zh", "us": "en", "gb": "en", "at": "de",
}  # fmt: skip

_PRIMARY: Final = re.compile(r"[A-Za-z]{2,8}")
_HREFLANG: Final = re.compile(r"([A-Za-z]+)(?:-([A-Za-z]{4}))?(?:-([A-Za-z0-9]+))?")


def speaks_one_of(languages: Container[str], tag: str | None) -> bool:
    """Whether a page with this lang attribute may be in one of the languages.

    A page without a valid lang attribute may be in any language.
    """
    name = (tag or "").strip().lower().replace("_", "-").partition("-")[0]
    return name not in LANGUAGES or name in languages or primary(tag) in languages


def language_fault(tag: str) -> str | None:
    """Return in a sentence what is wrong with the primary language of a BCP 47 tag. Returns None if nothing is
    wrong."""
    primary = tag.split("-", 1)[0]
    lower = primary.lower()
    if lower in LANGUAGES or (lower in ("x", "i") and "-" in tag):
        return None
    if "_" in primary:
        return f'join the parts with a hyphen, such as "{tag.replace("_", "-")}".'
    if lower in SHORTER:
        return f'use the two-letter code "{SHORTER[lower]}".'
    if len(lower) == 3 and lower.isascii() and lower.isalpha():
        return None  # ISO 639-3 knows some 8,000 languages without a two-letter code
    if lower in _MEANT_LANGUAGE:
        return f'"{primary}" is a country, not a language; the language code is "{_MEANT_LANGUAGE[lower]}".'
    if not _PRIMARY.fullmatch(primary):
        return 'it does not begin with a language code, such as "en".'
    return f'"{primary}" is not a language code; use one such as "en" or "de".'


def hreflang_fault(code: str) -> str | None:
    """Return in a sentence what is wrong with an hreflang value. Returns None if search engines understand it.

    A valid value is x-default or a language (ISO 639-1). A script (four letters) and a region (ISO 3166-1) may follow
    the language.
    """
    text = code.strip()
    if text.lower() == "x-default":
        return None
    if not text:
        return 'it is empty; name a language, such as "en".'
    match = _HREFLANG.fullmatch(text)
    if match is None:
        hyphens = text.replace("_", "-")
        if hyphens != text and hreflang_fault(hyphens) is None:
            return f'join the parts with a hyphen: "{hyphens}".'
        return 'it is not a language code; use one such as "en" or "en-GB".'
    language, script, region = match.groups()
    language = language.lower()
    if language not in LANGUAGES:
        if language in SHORTER:
            return f'use the two-letter language code "{SHORTER[language]}".'
        if language in _MEANT_LANGUAGE:
            return f'"{language}" is a country, not a language; the language code is "{_MEANT_LANGUAGE[language]}".'
        if language.upper() in REGIONS:
            return f'"{language}" is a country; begin with the language, such as "en-{language.upper()}".'
        return f'"{language}" is not a language code of ISO 639-1.'
    if region is None:
        return None
    upper = region.upper()
    if upper in REGIONS:
        return None
    tail = f"-{script}" if script else ""
    if upper in _MEANT_REGION:
        meant = _MEANT_REGION[upper]
        return f'there is no region "{region}"; write "{language}{tail}-{meant}".'
    return f'"{region}" is not a region code of ISO 3166-1.'
