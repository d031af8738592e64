"""The messages between the service and a connector. Member names are in camel case.

The size of every answer is limited here, because a website's owner may install anything that speaks this protocol.
Control characters are removed from texts for people (``_Told``), but not from values that are compared or written.
Unknown members are ignored, so that later versions can add members.
"""

from datetime import datetime
from typing import Annotated, ClassVar, Final, Literal

import msgspec
from msgspec import Meta

from chalicelib.domain.content import ContentFields, ContentItem
from chalicelib.domain.crawl.urls import normalise
from chalicelib.domain.printable import printable

PROTOCOL: Final = 2  # since version 2, a connector may write alt texts and redirects
MOST_ITEMS: Final = 200  # in one answer to ``items``
MOST_VALUE: Final = 4_000  # characters of a field's value, and of the values before and after
MOST_ALT: Final = 512  # characters of an alt text
MOST_KEY: Final = 2_000  # characters of a key, and of a redirect's target
MOST_FILE: Final = 60_000  # characters of a file
MOST_UNDO: Final = 2 * MOST_VALUE
MOST_FILE_UNDO: Final = 2 * MOST_FILE

_LONGEST_SHOWN: Final = 1_000  # characters of a shown text; the types of members set further limits

Operation = Literal["pair", "status", "items", "changes", "files"]
Field = Literal["title", "meta_description", "canonical", "noindex", "alt", "redirect"]
File = Literal["llmsTxt", "robotsBlock", "indexNowKey"]
State = Literal["written", "refused", "superseded"]

_Token = Annotated[str, Meta(min_length=1, max_length=64)]
_Words = Annotated[str, Meta(max_length=500)]
_Title = Annotated[str, Meta(max_length=1_000)]
_Url = Annotated[str, Meta(max_length=2_048)]
_Value = Annotated[str, Meta(max_length=MOST_VALUE)]
_FileValue = Annotated[str, Meta(max_length=MOST_FILE)]


class _Message(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    """The base of all messages: frozen, with camel-case names on the wire."""


# -- requests ----------------------------------------------------------------------------------------------


class Change(_Message, frozen=True, kw_only=True):
    """One value for one field of one item or for one of its images, or one redirect.

    - ``change_id``: identifies the change. If the connector gets the same id again, it repeats its first answer.
    - ``sequence``: rises with each batch of the website. If a later batch has already written the field, the connector
      answers ``superseded``.
    - ``value``: None removes the item's own value. For ``noindex`` it is ``true`` or ``false``.
    - ``restore``: the ``undo`` of an earlier outcome. ``value`` is then None, and the connector restores the state
      before that change.
    - ``key``: identifies the image or the redirect. For ``alt`` it is the image's absolute address, a space, and its
      number (from 1) among the page's images with that address. For ``redirect`` it is the path and query of ``url``,
      which is redirected to ``value``; ``cms_id`` is None. Other fields have no key.

    The connector stores the last sequence for each item, field and key.
    """

    change_id: str
    sequence: int
    cms_id: str | None
    url: str
    field: Field
    value: str | None
    restore: str | None = None
    key: str | None = None


class FileChange(_Message, frozen=True, kw_only=True):
    """A new text of llms.txt, of the service's block in robots.txt, or of the key that search engines look for at
    ``/{key}.txt``. A ``value`` of None removes the text. ``change_id`` and ``sequence``: as in ``Change``."""

    change_id: str
    sequence: int
    file: File
    value: str | None
    restore: str | None = None


# -- answers -----------------------------------------------------------------------------------------------


class _Told(_Message, frozen=True, kw_only=True):
    """The base of all answers. ``SHOWN``: the fields (texts and lists of texts) that are shown to people."""

    SHOWN: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for name in self.SHOWN:
            value = getattr(self, name)
            if isinstance(value, str):
                msgspec.structs.force_setattr(self, name, printable(value, _LONGEST_SHOWN))
            elif isinstance(value, list):
                msgspec.structs.force_setattr(self, name, [printable(one, _LONGEST_SHOWN) for one in value])


class Status(_Told, frozen=True, kw_only=True):
    """A connector's report of its current abilities.

    - ``writable``: False if it can write nothing; ``reason`` says why.
    - ``fields`` and ``files``: the fields and files that it can write.
    - ``seo_plugin``: the plugin whose stored fields are written.
    - ``title_case``: how the website changes the letter case of every title; None if it does not.
    - ``page_caches``: the active page caches.
    - ``robots_file``: ``virtual`` (made by the CMS), ``file`` (a writable file), ``readonly``, or ``elsewhere``
      (another system answers it).
    - ``index_now_sender``: the name of another sender in the CMS that submits changes by IndexNow, such as an SEO
      plugin; None without one.
    - ``redirects``: whether it can redirect addresses at which the CMS has no page.
    """

    SHOWN = (
        *("platform", "version", "reason", "platform_version", "fields", "files", "seo_plugin", "title_case"),
        *("page_caches", "index_now_sender"),
    )

    protocol: Literal[1, 2]
    platform: _Token
    version: _Token
    site_url: _Url
    writable: bool
    reason: _Words | None = None
    platform_version: _Token | None = None
    fields: Annotated[list[_Token], Meta(max_length=20)] = []
    files: Annotated[list[_Token], Meta(max_length=20)] = []
    seo_plugin: _Token | None = None
    title_case: _Token | None = None
    page_caches: Annotated[list[_Token], Meta(max_length=50)] = []
    robots_file: Literal["virtual", "file", "readonly", "elsewhere"] | None = None
    index_now_sender: _Token | None = None
    redirects: bool = False


class Cache(_Told, frozen=True, kw_only=True):
    """A page cache of the website, and whether it purged the address after the change."""

    SHOWN = ("name",)

    name: _Token
    cleared: bool


class Outcome(_Told, frozen=True, kw_only=True):
    """The result of a change.

    - ``state``: ``written``, ``refused``, or ``superseded`` if a later batch has written the field.
    - ``reason``: why the change was refused, in words.
    - ``before`` and ``after``: the field's own value in the CMS, for display and comparison. None means that the field
      has no own value and the CMS makes one.
    - ``undo``: the data with which the connector restores exactly the state before. Only the connector interprets it.
      An ``undo`` that is too long is dropped: the change is written but cannot be undone.
    """

    SHOWN = ("reason",)
    MOST_UNDO: ClassVar[int] = MOST_UNDO

    state: State
    reason: _Words | None = None
    before: _Value | None = None
    after: _Value | None = None
    undo: str | None = None
    caches: Annotated[list[Cache], Meta(max_length=50)] = []

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.undo is not None and len(self.undo) > self.MOST_UNDO:
            msgspec.structs.force_setattr(self, "undo", None)


class FileOutcome(_Told, frozen=True, kw_only=True):
    """The result of a change to a file. Like ``Outcome``, but longer texts are allowed."""

    SHOWN = ("reason",)
    MOST_UNDO: ClassVar[int] = MOST_FILE_UNDO

    state: State
    reason: _Words | None = None
    before: _FileValue | None = None
    after: _FileValue | None = None
    undo: str | None = None
    caches: Annotated[list[Cache], Meta(max_length=50)] = []

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.undo is not None and len(self.undo) > self.MOST_UNDO:
            msgspec.structs.force_setattr(self, "undo", None)


class ItemFields(_Message, frozen=True, kw_only=True, rename=None):
    """An item's own values in the CMS. A value is None if the item has none. The fields have the names that ``PUT
    content`` uses."""

    title: _Value | None = None
    meta_description: _Value | None = None
    canonical: _Value | None = None
    noindex: bool | None = None


class Item(_Told, frozen=True, kw_only=True):
    """A content item as a connector sends it to ``PUT content``."""

    SHOWN = ("type", "status", "title")

    cms_id: _Token
    url: _Url
    type: _Token
    status: _Token
    title: _Title
    modified_at: Annotated[datetime, Meta(tz=True)] | None = None
    fields: ItemFields = ItemFields()


class Items(_Message, frozen=True, kw_only=True):
    """A part of the list of items. The order is the same in each call. ``next``: the cursor for more items, to send as
    ``after``; None at the end."""

    items: Annotated[list[Item], Meta(max_length=MOST_ITEMS)]
    next: Annotated[str, Meta(min_length=1, max_length=200)] | None = None


class ContentPage(msgspec.Struct, frozen=True):
    """``Items`` as domain types, without items whose address is not a web address."""

    items: list[ContentItem]
    next: str | None


def content_page(answer: Items) -> ContentPage:
    """Convert the items to the service's own types."""
    found = [content_item(item) for item in answer.items]
    return ContentPage([item for item in found if item is not None], answer.next)


def content_item(item: Item) -> ContentItem | None:
    """Convert the item, with its address normalised. Returns None if its address is not a web address."""
    url = normalise(item.url)
    if url is None:
        return None
    given = item.fields
    return ContentItem(
        cms_id=item.cms_id,
        url=url,
        type=item.type,
        status=item.status,
        title=item.title,
        modified_at=None if item.modified_at is None else item.modified_at.timestamp(),
        fields=ContentFields(given.title, given.meta_description, given.canonical, given.noindex),
    )
