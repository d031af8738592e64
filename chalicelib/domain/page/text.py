"""Prepares text for rules: normalises spaces and letter case, counts words, makes fingerprints, and hides e-mail
addresses.

All functions are pure and cheap. ASCII text, the most common case, is handled by a fast path.
"""

import hashlib
import re
import unicodedata
from functools import lru_cache

MIN_WORDS_TO_COMPARE = 50  # shorter main texts are alike by chance: they get no fingerprint
# Two texts are nearly the same if they share this much of their runs of words. For a long text only this many hashed
# runs are kept.
LEAST_SHARED = 0.9
WORDS_PER_RUN = 3
HASHES_KEPT = 1_024
# Text that this share of a template's pages has is not a page's own, provided that enough pages have it: on a few pages
# the same words may be a copy.
REPEATED_SHARE = 0.12
LISTING_SHARE = 0.6  # of a main text's characters: with this much program code the text is a listing
REPEATED_PAGES = 5

# Scripts that write no spaces between words. Han, kana: about two characters a word (a common rule of thumb in
# content tools); Thai, Lao, Khmer, Myanmar: about five. Hangul is written with spaces and needs no rule.
_CJK = re.compile(
    "[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]+"
)
_SOUTH_EAST_ASIAN = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]+")
_CJK_CHARACTERS_A_WORD = 2
_SOUTH_EAST_ASIAN_CHARACTERS_A_WORD = 5

_ASCII_SPACE = bytes(code for code in range(128) if chr(code).isspace())
_LOWER = bytes(range(256)).lower()
_ASCII = bytes(range(128))
_SAMPLED = 1_000  # characters whose share of ASCII stands for the text's
_MOST_BYTES_A_CHARACTER = 1.1  # in UTF-8, of a text that is nearly ASCII
_MOST_REPLACED = 8  # different characters: each takes a search through the text
# First bytes, in UTF-8, of the characters of scripts without spaces (and of some others). Dropping all the rest
# shows whether a text has any, many times faster than a pattern.
_NOT_CJK = bytes(code for code in range(256) if not (0xE3 <= code <= 0xE9 or code in (0xEF, 0xF0)))
_NOT_SOUTH_EAST_ASIAN = bytes(code for code in range(256) if code not in (0xE0, 0xE1))

# An address: all characters RFC 5322 allows unquoted before the "@", and a domain that ends in a letter label. An
# address may begin only where none of these characters precedes it, which keeps the search linear.
_LOCAL = r"[\w.!#$%&'*+/=?^`{|}~-]"
_DOMAIN = r"(?:[\w-]{1,63}+\.){1,30}[^\W\d_][\w-]{0,62}+"
# Addresses that follow without a gap are hidden together with the first.
_EMAIL = re.compile(rf"(?<!{_LOCAL})({_LOCAL}){_LOCAL}{{0,320}}+@{_DOMAIN}(?:{_LOCAL}{{0,320}}+@{_DOMAIN})*")
_SPELLED_EMAIL = re.compile(
    r"(?<![\w.+%-])([^\W_])[\w.+%-]{0,63} ?[(\[{] ?at ?[)\]}] ?[\w-]{1,63}"
    r"(?:(?:\.| ?[(\[{] ?(?:dot|punkt|point|punto) ?[)\]}] ?)[\w-]{1,63}){1,4}",
    re.IGNORECASE,
)
# More marks on one letter than any script writes (UAX 15 limits them to 30 in streams). Sorting a run of marks takes
# time quadratic in its length. The class includes symbols, which makes no difference to comparisons.
_MOST_MARKS = 30
_MANY_MARKS = re.compile(rf"([^\w\s\x00-\x7f]{{{_MOST_MARKS}}})[^\w\s\x00-\x7f]+")
_LONGEST_KNOWN = 200  # characters of a text whose folded form is kept
_MASKED = r"\1***@***"
_HIDDEN = "***@***"
_MASK_SLACK = 600  # characters read beyond the stored length, so that no address is cut in half before it is hidden


def one_space(text: str) -> str:
    """Return ``text`` trimmed, with every run of white space as one space."""
    return " ".join(text.split())


def fold(text: str) -> str:
    """Return the folded form of a text: NFKC, case folded, with single spaces. Two texts count as equal if their folded
    forms are equal.

    Folding a folded text changes nothing.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    return _fold_known(text) if len(text) <= _LONGEST_KNOWN else _fold(text)


def _fold(text: str) -> str:
    # Case folding can undo the normal form (and vice versa); two rounds are enough for every character.
    text = fewer_marks(text)
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    folded = unicodedata.normalize("NFKC", folded.casefold())
    return " ".join(fewer_marks(folded).split())


# The same titles, headings and endings are compared many times.
_fold_known = lru_cache(maxsize=2_048)(_fold)


def fewer_marks(text: str) -> str:
    """Return the text with at most as many combining marks on each letter as real scripts use.

    With more marks, normalising the text could be slow.
    """
    # A text with so few multi-byte characters has no run of so many marks.
    if len(text.encode("utf-8", "surrogatepass")) - len(text) <= _MOST_MARKS:
        return text
    return _MANY_MARKS.sub(r"\1", text)


def words(text: str) -> int:
    """Return how many words ``text`` has.

    White space separates words. In Chinese and Japanese, two characters count as one word; in Thai, Lao, Khmer and
    Myanmar, five.
    """
    unspaced, rest = (0, text) if text.isascii() else _unspaced(text)
    return unspaced + _spaced(rest) if unspaced else len(rest.split())


def _unspaced(text: str) -> tuple[int, str]:
    """Count the words of scripts without spaces. Also returns the text with spaces in their place."""
    count = 0
    data = text.encode("utf-8", "replace")
    if data.translate(None, _NOT_CJK):
        characters = sum(map(len, _CJK.findall(text)))
        count += (characters + _CJK_CHARACTERS_A_WORD - 1) // _CJK_CHARACTERS_A_WORD
        text = _CJK.sub(" ", text)
    if data.translate(None, _NOT_SOUTH_EAST_ASIAN):
        characters = sum(map(len, _SOUTH_EAST_ASIAN.findall(text)))
        count += (characters + _SOUTH_EAST_ASIAN_CHARACTERS_A_WORD - 1) // _SOUTH_EAST_ASIAN_CHARACTERS_A_WORD
        text = _SOUTH_EAST_ASIAN.sub(" ", text)
    return count, text


def _spaced(text: str) -> int:
    """Count the words in the text that ``_unspaced`` left. Leftover marks do not count."""
    return sum(1 for token in text.split() if any(map(str.isalnum, token)))


def measure(text: str) -> tuple[int, str]:
    """Return ``(words, fingerprint)`` of a main text.

    The fingerprint is the SHA-256 (32 hex digits) of the case-folded text without white space. It is "" if the text is
    too short to compare.
    """
    data = text.encode() if text.isascii() else _nearly_ascii(text)
    if data is not None:  # without a string for each word, which saves half the cost of splitting
        count = _words_in(data)
        folded = data.translate(_LOWER, _ASCII_SPACE) if count >= MIN_WORDS_TO_COMPARE else b""
    else:
        unspaced, rest = _unspaced(text)
        tokens = text.casefold().split()
        count = unspaced + _spaced(rest) if unspaced else len(tokens)
        folded = "".join(tokens).encode("utf-8", "replace") if count >= MIN_WORDS_TO_COMPARE else b""
    return count, hashlib.sha256(folded).hexdigest()[:32] if folded else ""


def _nearly_ascii(text: str) -> bytes | None:
    """Return a text in UTF-8 with the characters beyond ASCII in their final form: case-folded, and white space as
    spaces.

    Returns None if this would cost more than handling the text as a whole: if many characters are beyond ASCII, or if
    some are of a script without spaces.
    """
    beginning = text[:_SAMPLED]
    if len(beginning.encode("utf-8", "replace")) > _MOST_BYTES_A_CHARACTER * len(beginning):
        return None
    data = text.encode("utf-8", "replace")
    beyond = data.translate(None, _ASCII)
    if beyond.translate(None, _NOT_CJK) or beyond.translate(None, _NOT_SOUTH_EAST_ASIAN):
        return None
    finals = {one: " " if one.isspace() else one.casefold() for one in set(beyond.decode())}
    replaced = [(one, final) for one, final in finals.items() if final != one]
    if len(replaced) > _MOST_REPLACED:
        return None
    for one, final in replaced:
        data = data.replace(one.encode(), final.encode())
    return data


def _words_in(data: bytes) -> int:
    """Count the words between white space of ASCII, many letters at once."""
    import numpy as np

    letters = np.frombuffer(data, np.uint8)
    # White space is 9 to 13 and 28 to 32; what is smaller wraps round to numbers beyond.
    space = (letters - np.uint8(9) < 5) | (letters - np.uint8(28) < 5)
    return int(np.count_nonzero(space[:-1] > space[1:])) + int(not space[:1].all())


def mask_emails(text: str) -> str:
    """Return ``text`` with every e-mail address hidden except for its first character: ``j***@***``."""
    if "@" in text:
        text = _EMAIL.sub(_MASKED, text)
    if "(" in text or "[" in text or "{" in text:
        text = _SPELLED_EMAIL.sub(_MASKED, text)
    return text


def mask_in_place(text: str) -> str:
    """Hide e-mail addresses without changing the length of the text, so that positions in it stay valid."""
    return _EMAIL.sub(lambda found: found[1] + "*" * (len(found[0]) - 1), text) if "@" in text else text


def is_masked(text: str) -> bool:
    """Whether an e-mail address was hidden in ``text``. Such a text may be shown but must not be written to a page."""
    return _HIDDEN in text


def kept(text: str, limit: int) -> str:
    """Return ``text`` in its stored form: single spaces, e-mail addresses hidden, at most ``limit`` characters.

    E-mail addresses are hidden before the text is cut, because half an address still identifies a person.
    """
    return kept_line(" ".join(text.split()), limit)


def kept_line(text: str, limit: int) -> str:
    """Do the same as ``kept``, for a text that already has single spaces between its words."""
    if "@" not in text and "(" not in text and "[" not in text and "{" not in text:
        return text[:limit]
    if len(text) > limit + _MASK_SLACK:
        text = text[: limit + _MASK_SLACK].rpartition(" ")[0] or text[:limit]
    return mask_emails(text)[:limit]


def tidy(text: str, limit: int) -> str:
    """Return the first ``limit`` characters of ``text`` for a quotation, with single spaces and if possible without
    cutting a word."""
    return shortened(" ".join(text.split()), limit)


def shortened(text: str, limit: int) -> str:
    """Replace each run of white space by one space, and return the first ``limit`` characters. No word is cut if that
    can be avoided."""
    if len(text) <= limit:
        return text
    cut = text.rfind(" ", limit - 40, limit + 1)
    return text[: cut if cut > 0 else limit].rstrip()
