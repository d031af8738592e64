"""A suggestion as it is stored and shown."""

from typing import Literal, NamedTuple

import msgspec

WritableField = Literal["title", "meta_description", "canonical", "noindex", "alt"]
WRITABLE_FIELDS = ("title", "meta_description", "canonical", "noindex")  # alt texts are written in the app only


class Advice(msgspec.Struct, array_like=True):
    """What to do about the description of a page of a special kind."""

    page_kind: str  # legal, archive, empty_archive, account
    legal_kind: str | None
    recommended: str  # leave_or_noindex, add_posts_or_noindex, noindex
    message: str


class Suggestion(msgspec.Struct, array_like=True):
    """What one page says now, and what it could say. ``suggested`` None: no value passes every guard."""

    url: str
    page_id: str
    current: str | None
    suggested: str | None
    advice: Advice | None = None


class Suggested(NamedTuple):
    """The suggestions of one rule's pages, in order of address; ``note``: as ``SuggestionSet.note``."""

    suggestions: list[Suggestion]
    note: str | None = None


class SuggestionSet(msgspec.Struct, array_like=True):
    """Where an issue's suggestions are stored: under which crawl, and how many each block holds."""

    crawl_id: str
    counts: list[int]
    note: str | None = None  # titles only: what the website does to the letter case of every title
