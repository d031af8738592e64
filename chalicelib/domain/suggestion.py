"""Suggested values for the pages of an issue, as they are stored and shown."""

from typing import Literal, NamedTuple

import msgspec

WritableField = Literal["title", "meta_description", "canonical", "noindex", "alt"]
WRITABLE_FIELDS = ("title", "meta_description", "canonical", "noindex")  # alt texts are written in the app only


LaterField = Literal["redirect"]  # a field of changes that the previous release does not know
PageField = Literal[WritableField, LaterField]

# The sources of a suggestion's words. Within a version of the API, tokens are added but never removed.
SuggestedFrom = Literal[
    "title",  # the page's own title, shortened, or with the website's name
    "h1",
    "heading",  # the first heading of a page without H1, or the title that the page shows
    "og_title",
    "description",  # the page's own description, cut
    "og_description",
    "first_paragraph",
    "paragraph",  # a later paragraph
    "headings",  # of a description: what the page is about, and the names of its sections or of a class's members
    "list",  # of a description: what the page is about, and the first entries of its list
    "canonical",  # where the page's canonical address finally leads
    "own_address",
    "folder_address",  # of copies: the folder's address instead of that of its index file
    "plain_address",  # of copies: the address without parameters, or the address with which all others begin
    "sitemap",  # of copies: the one that the sitemap lists; of noindex: the page is listed
    "links",  # of copies: the one that the website links to; of noindex: the page has many links to it
    "language",  # of copies: the one in the folder of the text's language
    "home_page",  # of copies: the home page; of noindex: search should show the home page
    "near_duplicate",  # of pages that say nearly the same: the one to keep
    "page_kind",  # noindex: a log-in, a basket, search results, an empty list
]


class Candidate(NamedTuple):
    """A value to suggest for a page, and its source. The value passed all checks except the comparison with other
    pages, which comes later."""

    text: str
    source: SuggestedFrom


class Advice(msgspec.Struct, array_like=True):
    """Advice on the description of a page of a special kind, such as a legal page or a list."""

    page_kind: str  # legal, archive, empty_archive, account
    legal_kind: str | None
    recommended: str  # leave_or_noindex, add_posts_or_noindex, noindex
    message: str


class SecondField(msgspec.Struct, array_like=True):
    """A second field that the issue concerns, such as the description in addition to the title. It has a current text
    and a suggestion.

    ``source`` and ``note``: as in ``Suggestion``.
    """

    current: str | None
    suggested: str | None
    source: SuggestedFrom | None = None
    note: str | None = None


class Suggestion(msgspec.Struct, array_like=True):
    """The current text of one page, and a suggestion.

    - ``suggested``: None if no value passes every check.
    - ``note``: if there is no suggestion, the check that failed, in a sentence.
    - ``description``: the page's description as a second field, for keyword tasks that a description could also
      resolve.

    Suggestions of earlier versions have neither ``source`` nor ``note``.
    """

    url: str
    page_id: str
    current: str | None
    suggested: str | None
    advice: Advice | None = None
    source: SuggestedFrom | None = None
    note: str | None = None
    description: SecondField | None = None


class Suggested(NamedTuple):
    """The suggestions for one rule's pages, sorted by address. ``note``: see ``SuggestionSet.note``."""

    suggestions: list[Suggestion]
    note: str | None = None


class SuggestionSet(msgspec.Struct, array_like=True):
    """Where an issue's suggestions are stored.

    ``crawl_id``: the crawl under which they are stored. ``counts``: how many suggestions each block has.
    """

    crawl_id: str
    counts: list[int]
    note: str | None = None  # titles only: how the website changes the letter case of every title


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """An assistant's draft of a page's description, stored in addition to the rule-based suggestion.

    - ``text``: the draft; None if there is none, and ``note`` then says why.
    - ``rests_on``: the sentences of the page that support the draft.
    - ``by``: the assistant's provider and model.
    - ``at``: epoch seconds.
    - ``digest``: a hash of the page's words that the assistant was given.
    - ``place``: where the page's facts were stored at that time. If they are still stored there, the page has not been
      read again since.
    """

    text: str | None = None
    note: str | None = None
    rests_on: list[str] = []
    by: str
    at: float
    digest: str
    place: str
