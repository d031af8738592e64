"""Which characters the bytes of a page mean.

What browsers do (the mark at the start, then the header, then the page's own declaration) comes first; where the
bytes prove a declaration wrong, the page is read as what it really is, so that no page is blamed for our decoding.
Names are those of the WHATWG Encoding standard.
"""

import codecs
import re
from collections import Counter
from functools import lru_cache
from typing import Final, Literal

CharsetSource = Literal["header", "bom", "meta", "detected", "default"]

DEFAULT: Final = "windows-1252"
_PRESCAN_BYTES: Final = 2048
_SEARCHED_BYTES: Final = 32 * 1024
_SAMPLE_BYTES: Final = 16 * 1024
_FAULTS_LET_PASS: Final = 0.1  # broken characters among those beyond ASCII, up to which the charset is still right
_LATIN_FIT: Final = 0.85
_MOST_BEYOND_ASCII: Final = 0.6

# Charset -> Python's codec, where the standard means something else than the name says in Python.
_CODECS: Final = {
    "windows-1252": "cp1252",
    "windows-1254": "cp1254",
    "windows-874": "cp874",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "macintosh": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic",
    "iso-8859-8-i": "iso8859_8",
    "utf-16le": "utf-16-le",
    "utf-16be": "utf-16-be",
}
# The other labels of a charset that are met on the web; a charset's own name is a label too.
_LABELS: Final = {
    "utf-8": "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf8 x-unicode20utf8",
    "windows-1252": (
        "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 iso_8859-1"
        " iso_8859-1:1987 l1 latin1 latin-1 us-ascii x-cp1252"
    ),
    "windows-1254": (
        "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 iso_8859-9:1989 l5 latin5 x-cp1254"
    ),
    "windows-874": "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620",
    "windows-1250": "cp1250 x-cp1250",
    "windows-1251": "cp1251 x-cp1251",
    "windows-1253": "cp1253 x-cp1253",
    "windows-1255": "cp1255 x-cp1255",
    "windows-1256": "cp1256 x-cp1256",
    "windows-1257": "cp1257 x-cp1257",
    "windows-1258": "cp1258 x-cp1258",
    "iso-8859-2": "csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 l2 latin2",
    "iso-8859-3": "iso8859-3 iso88593 iso_8859-3 l3 latin3",
    "iso-8859-4": "iso8859-4 iso88594 iso_8859-4 l4 latin4",
    "iso-8859-5": "cyrillic iso8859-5 iso88595 iso_8859-5",
    "iso-8859-6": "arabic asmo-708 iso8859-6 iso88596 iso_8859-6",
    "iso-8859-7": "greek greek8 iso8859-7 iso88597 iso_8859-7 sun_eu_greek",
    "iso-8859-8": "hebrew iso8859-8 iso88598 iso_8859-8 visual",
    "iso-8859-8-i": "logical",
    "iso-8859-10": "iso8859-10 iso885910 l6 latin6",
    "iso-8859-13": "iso8859-13 iso885913",
    "iso-8859-14": "iso8859-14 iso885914",
    "iso-8859-15": "csisolatin9 iso8859-15 iso885915 iso_8859-15 l9",
    "iso-8859-16": "",
    "koi8-r": "koi koi8 koi8_r",
    "koi8-u": "koi8-ru",
    "ibm866": "866 cp866",
    "macintosh": "csmacintosh mac x-mac-roman",
    "x-mac-cyrillic": "x-mac-ukrainian",
    "gbk": "chinese csgb2312 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk",
    "gb18030": "",
    "big5": "big5-hkscs cn-big5 csbig5 x-x-big5",
    "euc-jp": "cseucpkdfmtjapanese x-euc-jp",
    "iso-2022-jp": "csiso2022jp",
    "shift_jis": "csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis",
    "euc-kr": (
        "cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 cp949"
    ),
    "utf-16le": "utf-16 csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff",
    "utf-16be": "unicodefffe",
}
_CHARSETS: Final = {label: name for name, labels in _LABELS.items() for label in (name, *labels.split())}

_MARKS: Final = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16le"), (codecs.BOM_UTF16_BE, "utf-16be"))
_HEADER_CHARSET = re.compile(r"""charset\s*+=\s*+["']?\s*+([^\s"';,]{1,100})""", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META_CHARSET = re.compile(rb"""<meta\s[^<>]*?\bcharset\s*+=\s*+["']?\s*+([A-Za-z0-9_:.\-]+)""", re.IGNORECASE)
_XML_ENCODING = re.compile(rb"""^\s*<\?xml\s[^>]*?\bencoding\s*+=\s*+["']([A-Za-z0-9_:.\-]+)""")
_UNREAD = re.compile(rb"<(script|style)\b", re.IGNORECASE)
_MARKUP = re.compile(rb"<[^<>]*>|&[#a-z0-9]{1,32};|[\x00-\x20]+", re.IGNORECASE)

# Letters beyond ASCII by language, for charsets that differ in little else.
_WESTERN: Final = (
    "äöüß",  # German
    "àâæçèéêëîïôœùûüÿ",  # French
    "áéíñóúü",  # Spanish
    "àáâãçéêíóôõúü",  # Portuguese
    "àèéìíîòóùú",  # Italian
    "åäöæøéüà",  # Danish, Norwegian, Swedish, Finnish
    "áèéëïóöüê",  # Dutch
    "áðéíóúýþæö",  # Icelandic
    "àçèéíïòóúü·",  # Catalan
)
_CENTRAL: Final = (
    "ąćęłńóśźż",  # Polish
    "áčďéěíňóřšťúůýž",  # Czech
    "áäčďéíĺľňóôŕšťúýž",  # Slovak
    "áéíóöőúüű",  # Hungarian
    "ăâîşţ",  # Romanian
    "čćđšž",  # Croatian, Slovene
)
_TURKISH: Final = ("çğıöşüâîû\u0307",)
_LATIN: Final = (  # the first of equals wins
    ("windows-1252", "cp1252", _WESTERN),
    ("windows-1250", "cp1250", _CENTRAL),
    ("iso-8859-2", "iso8859_2", _CENTRAL),
    ("windows-1254", "cp1254", _TURKISH),
)
_PUNCTUATION: Final = frozenset("\xa0\xad«»“”„‘’‚–—…•©®™€£§°·¡¿´")
# What the general detection chooses from: codec -> charset.
_DETECTABLE: Final = {
    "cp949": "euc-kr",
    "cp932": "shift_jis",
    "euc_jp": "euc-jp",
    "gb18030": "gb18030",
    "big5": "big5",
    "cp1251": "windows-1251",
    "koi8_r": "koi8-r",
    "cp1253": "windows-1253",
    "cp1255": "windows-1255",
    "cp1256": "windows-1256",
    "cp874": "windows-874",
    "cp1252": "windows-1252",
}


def charset_of_label(label: str) -> str | None:
    """The charset that a label in a header or a page stands for; ``None`` for one that nobody knows."""
    return _CHARSETS.get(label.strip().lower())


@lru_cache(maxsize=256)
def _charset_of_header(content_type: str) -> str | None:
    match = _HEADER_CHARSET.search(content_type)
    return charset_of_label(match[1]) if match else None


def _charset_of_page(body: bytes) -> str | None:
    head = body[:_PRESCAN_BYTES]
    match = _XML_ENCODING.match(head) or _META_CHARSET.search(_COMMENT.sub(b"", head) if b"<!--" in head else head)
    if match is None:
        return None
    charset = charset_of_label(match[1].decode("ascii"))
    # A declaration that can be read byte by byte is not in UTF-16, whatever it says.
    return "utf-8" if charset in ("utf-16le", "utf-16be") else charset


def _read_as(body: bytes, charset: str) -> str | None:
    """The text, or ``None`` when the bytes are not in this charset. A few broken characters are let pass."""
    if charset == DEFAULT:
        return body.decode("cp1252", _UNDEFINED_AS_CONTROL)
    codec = _CODECS.get(charset, charset)
    try:
        return body.decode(codec)
    except UnicodeDecodeError as error:
        text = body.decode(codec, "replace")
        faults = text.count("\ufffd")
        beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
        cut_off = faults == 1 and beyond_ascii > 1 and error.start >= len(body) - 3
        return text if cut_off or faults <= _FAULTS_LET_PASS * beyond_ascii else None


_UNDEFINED_AS_CONTROL: Final = "undefined-as-control"


def _control_character(error: UnicodeError) -> tuple[str, int]:
    """Of windows-1252 Python leaves five bytes undefined; for browsers they are control characters."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(map(chr, error.object[error.start : error.end])), error.end


codecs.register_error(_UNDEFINED_AS_CONTROL, _control_character)


def decode(body: bytes, content_type: str | None) -> tuple[str, str, CharsetSource]:
    """The text of a page, the charset it was read as, and where that came from. Never raises.

    ``content_type``: the header's value. Order: byte order mark, header, the page's own declaration in its first
    2 KB, UTF-8 where the bytes are valid for it, detection on a sample, windows-1252.
    """
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(_CODECS.get(charset, charset), "replace"), charset, "bom"
    declared: list[tuple[str, CharsetSource]] = []
    of_header = _charset_of_header(content_type) if content_type else None
    if of_header is not None:
        if of_header == "utf-8":
            try:
                return body.decode(), "utf-8", "header"
            except UnicodeDecodeError:
                pass
        declared.append((of_header, "header"))
    of_page = _charset_of_page(body)
    if of_page is not None:
        declared.append((of_page, "meta"))
    return _settle(body, declared)


def _settle(body: bytes, declared: list[tuple[str, CharsetSource]]) -> tuple[str, str, CharsetSource]:
    """Takes the first declaration that the bytes bear out; else finds out."""
    utf8 = _read_as(body, "utf-8")
    # Text in another charset is next to never valid UTF-8 by chance: then the declaration is a server's default.
    surely_utf8 = utf8 is not None and not body.isascii()
    for charset, source in declared:
        if charset == "utf-8":
            if utf8 is not None:
                return utf8, charset, source
        elif not surely_utf8:
            text = _read_as(body, charset)
            if text is not None:
                return text, charset, source
    if utf8 is not None:
        return utf8, "utf-8", "detected"
    found = _detected(body)
    if found is not None:
        return body.decode(_CODECS.get(found, found), "replace"), found, "detected"
    return body.decode("cp1252", _UNDEFINED_AS_CONTROL), DEFAULT, "default"


def _readable(body: bytes) -> bytes:
    """The page without its scripts and styles; one that never ends takes the rest with it."""
    lower = body.lower()
    kept: list[bytes] = []
    position = 0
    while (start := _UNREAD.search(body, position)) is not None:
        kept.append(body[position : start.start()])
        end = lower.find(b"</" + start[1].lower(), start.end())
        if end < 0:
            return b"".join(kept)
        position = end
    kept.append(body[position:])
    return b"".join(kept)


def _sample(body: bytes) -> bytes:
    """The words with characters beyond ASCII, without markup; at most 16 KB."""
    words: list[bytes] = []
    length = 0
    for word in _MARKUP.sub(b" ", _readable(body[:_SEARCHED_BYTES])).split(b" "):
        if not word.isascii():
            words.append(word)
            length += len(word) + 1
            if length >= _SAMPLE_BYTES:
                break
    return b" ".join(words)[:_SAMPLE_BYTES]


def _detected(body: bytes) -> str | None:
    sample = _sample(body)
    if not sample:
        return None
    latin = _latin_charset(sample)
    if latin is not None:
        return latin
    from charset_normalizer import from_bytes  # only pages that say nothing of use come here

    best = from_bytes(
        sample,
        steps=5,
        chunk_size=512,
        cp_isolation=list(_DETECTABLE),
        preemptive_behaviour=False,
        enable_fallback=False,
    ).best()
    return _DETECTABLE.get(best.encoding) if best is not None else None


def _latin_charset(sample: bytes) -> str | None:
    """The Latin charset in which the sample uses the letters of one language; ``None`` when it does in none.

    The general detection cannot tell these apart: each of them makes letters of the same bytes.
    """
    best: tuple[float, str] | None = None
    for charset, codec, alphabets in _LATIN:
        letters = Counter(sample.decode(codec, "replace").lower())
        counts = [(c, n) for c, n in letters.items() if c > "\x7f" and c not in _PUNCTUATION]
        total = sum(n for _, n in counts)
        if not total:
            return DEFAULT
        # Words of Latin script are mostly ASCII; in other scripts hardly a letter is.
        if total > _MOST_BEYOND_ASCII * len(sample):
            return None
        fit = max(sum(n for c, n in counts if c in alphabet) for alphabet in alphabets) / total
        if fit >= _LATIN_FIT and (best is None or fit > best[0]):
            best = (fit, charset)
    return best[1] if best else None
