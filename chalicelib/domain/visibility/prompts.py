"""Prompts: questions about a website's field of business that assistants are asked."""

import re
from typing import Final

import msgspec

from chalicelib.domain import legible
from chalicelib.domain.page.text import fold, one_space

MOST_ACTIVE: Final = 50  # prompts of a website that are asked
MOST_KEPT: Final = 200  # of a website, including paused ones
LONGEST: Final = 300  # characters

_LOCALE: Final = re.compile(r"([A-Za-z]{2,3})(?:-([A-Za-z]{4}))?(?:-([A-Za-z]{2}))?")


class BadPrompt(ValueError):
    """Raised if the text of a prompt cannot be used, or if its language tag is invalid. The text of the exception gives
    the reason."""


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """A question that a person added.

    - ``locale``: a language tag such as ``de-AT``, or None.
    - ``created_at``: epoch seconds.
    - ``active``: whether assistants are asked this question.
    """

    id: str
    text: str
    locale: str | None
    created_at: float
    active: bool = True


class Place(msgspec.Struct, frozen=True):
    """The country and language of a question. A value is None if it is not given.

    ``language``: an ISO 639 code. ``country``: an ISO 3166-1 alpha-2 code.
    """

    language: str | None = None
    country: str | None = None


def checked_text(text: str) -> str:
    """Check the text of a prompt, and return it as it will be stored. Raises ``BadPrompt``."""
    kept = one_space(legible.without_mark(text))
    if not kept:
        raise BadPrompt("A prompt is a question in words; this one is empty.")
    if len(kept) > LONGEST:
        raise BadPrompt(f"A prompt has at most {LONGEST} characters; this one has {len(kept)}.")
    wrong = legible.fault(kept)
    if wrong is not None:
        raise BadPrompt(f"A prompt is a question in words; this one has {wrong}.")
    if not legible.is_visible(kept):
        raise BadPrompt("A prompt is a question in words; this one has no visible words.")
    return kept


def checked_locale(locale: str | None) -> str | None:
    """Return a language tag in its usual letter case. Raises ``BadPrompt``."""
    if locale is None:
        return None
    match = _LOCALE.fullmatch(locale.strip())
    if match is None:
        raise BadPrompt(f"{locale[:40]!r} is not a language tag; use one such as de or de-AT.")
    language, script, country = match.groups()
    parts = (language.lower(), script and script.title(), country and country.upper())
    return "-".join(part for part in parts if part)


def place_of(locale: str | None) -> Place:
    """Return the language and country of a language tag, which must come from ``checked_locale``."""
    match = None if locale is None else _LOCALE.fullmatch(locale)
    return Place() if match is None else Place(match[1], match[3])


def same(one: Prompt, text: str, locale: str | None) -> bool:
    """Whether a prompt with the same text and the same locale exists already."""
    return one.locale == locale and fold(one.text) == fold(text)
