"""An audit's findings about a website's readiness for assistants, stored when the audit is published."""

from typing import Literal

import msgspec

Source = Literal["robots_txt", "default", "unreadable"]


class RobotsState(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of /robots.txt. ``status``: None if there was no answer. ``fetched_at``: epoch seconds."""

    url: str
    status: int | None
    fetched_at: float


class CrawlerAccess(msgspec.Struct, frozen=True, kw_only=True):
    """Whether robots.txt allows one crawler of the project's list to read the home page.

    - ``allowed``: None if robots.txt could not be read.
    - ``source``: ``default`` if no group applies to the crawler.
    - ``line`` and ``line_number`` (from 1): the rule that decided; None if no rule did.
    - ``group``: the name of the crawler's group, ``*`` for the group of all crawlers.
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
    """The answer of /llms.txt. ``present``: whether the file has text. ``status`` and ``bytes``: None if there was no
    answer."""

    present: bool
    url: str
    status: int | None
    bytes: int | None
    fetched_at: float


class Entity(msgspec.Struct, frozen=True, kw_only=True):
    """The facts that the website publishes about its owner.

    - ``organization_schema``: whether the home or about page describes the organisation in structured data with its
      name and web addresses.
    - ``about_page``, ``contact_page``: the addresses of these pages of the website.
    - ``nap_agrees``: whether the owner's name, address and telephone number are the same wherever the website shows
      them; None if there is nothing to compare.
    """

    organization_schema: bool
    organization_name: str | None
    same_as: tuple[str, ...]
    about_page: str | None
    contact_page: str | None
    nap_agrees: bool | None


class DraftPage(msgspec.Struct, frozen=True, array_like=True):
    """A page that the draft of llms.txt lists. Its texts are for display."""

    section: str
    title: str
    url: str


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A draft of llms.txt: its text, and its pages in the order of the text."""

    text: str
    pages: tuple[DraftPage, ...]


class Readiness(msgspec.Struct, frozen=True, kw_only=True):
    """All findings of an audit about readiness. ``robots`` and ``llms``: None if the file was not requested.
    ``entity``: None if the home page was not read."""

    crawl_id: str
    checked_at: float
    robots: RobotsState | None
    crawlers: tuple[CrawlerAccess, ...]
    llms: LlmsState | None
    entity: Entity | None
    draft: Draft
