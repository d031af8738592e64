"""Decodes the bytes of a page.

Like browsers, this module uses the byte order mark, then the header, then the page's own declaration. If the bytes
prove a declaration wrong, the page is read in its real charset, so that no page is blamed for our decoding. Charset
names are those of the WHATWG Encoding standard.
"""

import codecs
import re
from collections import Counter
from functools import cache, lru_cache
from typing import Final, Literal

import webencodings

from chalicelib.domain.page.headers import content_type_of

CharsetSource = Literal["header", "bom", "meta", "detected", "default"]

DEFAULT: Final = "windows-1252"
_PRESCAN_BYTES: Final = 2048
_SEARCHED_BYTES: Final = 32 * 1024
_SAMPLE_BYTES: Final = 16 * 1024
_FAULTS_LET_PASS: Final = 0.1  # largest share of broken characters, among those beyond ASCII
_LATIN_FIT: Final = 0.85
_MOST_BEYOND_ASCII: Final = 0.6

# Labels in use on the web that the standard lacks.
_MORE_LABELS: Final = {"latin-1": "windows-1252", "cp949": "euc-kr"}
# Charsets of the standard that do not encode text.
_NO_TEXT: Final = ("replacement", "x-user-defined")

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
_LATIN: Final = (  # of equally good ones, the first wins
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
    """Return the charset that a label in a header or a page names; ``None`` if the label is unknown."""
    label = label.strip()
    if not label.isascii():
        return None
    found = webencodings.lookup(_MORE_LABELS.get(label.lower(), label))
    return None if found is None or found.name in _NO_TEXT else str(found.name)


@cache
def _codec(charset: str) -> str:
    """Return Python's codec for a charset."""
    if charset == "gbk":
        return "gb18030"  # the standard decodes both alike
    return str(webencodings.lookup(charset).codec_info.name)


@lru_cache(maxsize=256)
def _charset_of_header(content_type: str) -> str | None:
    media_type, label = content_type_of(content_type)
    if media_type is None:
        match = _HEADER_CHARSET.search(content_type)
        label = match[1] if match else None
    return charset_of_label(label) if label else None


def _charset_of_page(body: bytes) -> str | None:
    head = body[:_PRESCAN_BYTES]
    match = _XML_ENCODING.match(head) or _META_CHARSET.search(_COMMENT.sub(b"", head) if b"<!--" in head else head)
    if match is None:
        return None
    charset = charset_of_label(match[1].decode("ascii"))
    # A declaration that can be read byte by byte is not in UTF-16, whatever it says.
    return "utf-8" if charset in ("utf-16le", "utf-16be") else charset


def _read_as(body: bytes, charset: str) -> str | None:
    """Decode the bytes; ``None`` if they are not in this charset. A few broken characters are accepted."""
    if charset == DEFAULT:
        return body.decode("cp1252", _UNDEFINED_AS_CONTROL)
    codec = _codec(charset)
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
    """Replace the five bytes of windows-1252 that Python leaves undefined: for browsers they are control characters."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(map(chr, error.object[error.start : error.end])), error.end


codecs.register_error(_UNDEFINED_AS_CONTROL, _control_character)


def decode(body: bytes, content_type: str | None) -> tuple[str, str, CharsetSource]:
    """Decode a page. Returns its text, the charset, and where the charset came from. Never raises.

    ``content_type``: the header's value. The charset is taken from the first of these that gives one:

    1. the byte order mark
    2. the header
    3. the page's own declaration in its first 2 KB
    4. UTF-8, if the bytes are valid UTF-8
    5. detection on a sample
    6. windows-1252
    """
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(_codec(charset), "replace"), charset, "bom"
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
    """Take the first declaration that the bytes confirm; without one, detect the charset."""
    utf8 = _read_as(body, "utf-8")
    # Text in another charset is almost never valid UTF-8 by chance: then the declaration is a server's default.
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
        return body.decode(_codec(found), "replace"), found, "detected"
    return body.decode("cp1252", _UNDEFINED_AS_CONTROL), DEFAULT, "default"


def _readable(body: bytes) -> bytes:
    """Return the page without its scripts and styles. An unclosed one removes the rest of the page."""
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
    """Return the words with characters beyond ASCII, without markup; at most 16 KB."""
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
    from charset_normalizer import from_bytes  # only for pages without a usable declaration

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
    """Return the Latin charset in which the sample's letters best fit one language; ``None`` if none fits well enough.

    General detection cannot distinguish these charsets, because each of them maps the same bytes to letters.
    """
    best: tuple[float, str] | None = None
    for charset, codec, alphabets in _LATIN:
        letters = Counter(sample.decode(codec, "replace").lower())
        counts = [(c, n) for c, n in letters.items() if c > "\x7f" and c not in _PUNCTUATION]
        total = sum(n for _, n in counts)
        if not total:
            return DEFAULT
        # Words of Latin script are mostly ASCII; in other scripts almost no letter is.
        if total > _MOST_BEYOND_ASCII * len(sample):
            return None
        fit = max(sum(n for c, n in counts if c in alphabet) for alphabet in alphabets) / total
        if fit >= _LATIN_FIT and (best is None or fit > best[0]):
            best = (fit, charset)
    return best[1] if best else None
