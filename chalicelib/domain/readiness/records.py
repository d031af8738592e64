"""What an audit learns of a website's readiness for assistants, as it is stored when the audit is published."""

from typing import Literal

import msgspec

Source = Literal["robots_txt", "default", "unreadable"]


class RobotsState(msgspec.Struct, frozen=True, kw_only=True):
    """What /robots.txt answered. ``status`` None: nothing; ``fetched_at`` epoch seconds."""

    url: str
    status: int | None
    fetched_at: float


class CrawlerAccess(msgspec.Struct, frozen=True, kw_only=True):
    """What robots.txt says to one crawler of the list about the home page.

    ``allowed`` None: robots.txt could not be read. ``source``: ``default`` where no group is for the crawler. ``line``
    and ``line_number`` (from 1): the rule that decided, None where none did. ``group``: the name of the group that it
    stands in, ``*`` for that of all crawlers.
    """

    bot: str
    owner: str
    purpose: str
    kind: str
    allowed: bool | None
    source: Source
    line: str | None = None
    line_number: int | None = None
    group: str | None = None


class LlmsState(msgspec.Struct, frozen=True, kw_only=True):
    """What /llms.txt answered. ``present``: with a text. ``status`` and ``bytes`` None: there was no answer."""

    present: bool
    url: str
    status: int | None
    bytes: int | None
    fetched_at: float


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    """What the website says of who is behind it.

    ``organization_schema``: whether home or about page describe the organisation with name and address on the web.
    ``about_page``, ``contact_page``: addresses of pages of the website. ``nap_agrees``: whether name, address and
    telephone are the same wherever they stand; None: there is nothing to compare.
    """

    organization_schema: bool
    organization_name: str | None
    same_as: tuple[str, ...]
    about_page: str | None
    contact_page: str | None
    nap_agrees: bool | None


class DraftPage(msgspec.Struct, frozen=True, array_like=True):
    """A page that the draft of llms.txt lists, as people read it."""

    section: str
    title: str
    url: str


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A draft of llms.txt: its text, and the pages in the order of the text."""

    text: str
    pages: tuple[DraftPage, ...]


class Readiness(msgspec.Struct, frozen=True, kw_only=True):
    """All of it. ``robots`` None: not asked for; ``llms`` None: not asked for; ``entity`` None: the home page was not
    read."""

    crawl_id: str
    checked_at: float
    robots: RobotsState | None
    crawlers: tuple[CrawlerAccess, ...]
    llms: LlmsState | None
    entity: Entity | None
    draft: Draft
