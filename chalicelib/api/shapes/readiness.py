"""Readiness for assistants: robots.txt, llms.txt, and the owner that the website names."""

from typing import Annotated

from msgspec import Meta

from chalicelib.api.shapes.values import (
    Address,
    AppLink,
    ApprovedAt,
    BatchId,
    Bot,
    BotKind,
    BotOwner,
    BotPurpose,
    Count,
    PageUrl,
    Person,
    Timestamp,
)
from chalicelib.domain.changes.batch import ChangeStatus
from chalicelib.domain.readiness.live_file import FetchedKind, LiveKind
from chalicelib.domain.readiness.records import Source
from chalicelib.domain.readiness.written import MOST_CHARACTERS, CrawlerRule
from chalicelib.http.answers import Shape
from chalicelib.http.bodies import Body

_Line = Annotated[str | None, Meta(description="The line of robots.txt that decided; null: no line.")]
_LineNumber = Annotated[int | None, Meta(description="The number of this line, from 1.")]
_Allowed = Annotated[
    bool | None, Meta(description="Whether the crawler may read the home page; null: robots.txt could not be read.")
]
VerdictSource = Annotated[
    Source,
    Meta(
        description="`robots_txt`: a group names the crawler; `default`: no group names it; `unreadable`: robots.txt "
        "could not be read."
    ),
]
AnswerStatus = Annotated[int | None, Meta(description="The status that the address answered; null: no answer.")]


class RobotsTxt(Shape):
    """The answer for /robots.txt."""

    url: Annotated[Address, Meta(description="Address of the file.")]
    status: AnswerStatus
    fetched_at: Annotated[Timestamp, Meta(description="When it was read.")]


class StoredCrawler(Shape):
    """The verdict of robots.txt for one crawler and the home page at the last audit."""

    bot: Bot
    owner: BotOwner
    purpose: BotPurpose
    kind: BotKind
    allowed: _Allowed
    source: VerdictSource
    rule: _Line
    line_number: _LineNumber


class StoredLlmsTxt(Shape):
    """The answer for /llms.txt at the last audit."""

    present: Annotated[bool, Meta(description="Whether there is a text.")]
    url: Annotated[Address, Meta(description="Address of the file.")]
    status: AnswerStatus
    bytes: Annotated[Count | None, Meta(description="The size in bytes; null: not known.")]
    checked_at: Annotated[Timestamp, Meta(description="When it was read.")]


class Entity(Shape):
    """The owner that the website names."""

    organization_schema: Annotated[
        bool,
        Meta(description="Whether the home page or an about page describes an organization with `name` and `url`."),
    ]
    organization_name: Annotated[str | None, Meta(description="Name of the organisation; null: none is named.")]
    same_as: Annotated[list[str], Meta(description="Its profiles elsewhere.")]
    about_page: Annotated[Address | None, Meta(description="The about page; null: none was found.")]
    contact_page: Annotated[
        Address | None, Meta(description="A contact page, or else an imprint; null: none was found.")
    ]
    nap_agrees: Annotated[
        bool | None,
        Meta(description="Whether name, address and telephone are the same everywhere; null: nothing to compare."),
    ]


class Readiness(Shape):
    """Readiness for assistants at the last audit. Before the first audit, `crawlers` is empty, other members are
    null."""

    checked_at: Annotated[Timestamp | None, Meta(description="When the audit read the website.")]
    robots_txt: RobotsTxt | None
    crawlers: Annotated[list[StoredCrawler], Meta(description="The verdict for each crawler.")]
    llms_txt: StoredLlmsTxt | None
    entity: Entity | None


class FileAccess(Shape):
    """Whether a CMS is connected and can be written."""

    connected: Annotated[bool, Meta(description="Whether a CMS is connected.")]
    writable: Annotated[bool, Meta(description="Whether the CMS can be written.")]


class CachedFile(Shape):
    """The file that visitors get, if it differs from the current file."""

    status: AnswerStatus
    kind: Annotated[FetchedKind, Meta(description="What the plain address answers.")]
    found: Annotated[bool, Meta(description="Whether the answer is a text.")]
    cache: Annotated[str | None, Meta(description="Headers that name the cache; null: none.")]


class LiveFile(Shape):
    """The current /llms.txt, bypassing the website's page cache and CDN."""

    found: Annotated[bool, Meta(description="Whether the address answers with a text.")]
    kind: Annotated[LiveKind, Meta(description="What the address answers.")]
    fetched_kind: Annotated[
        FetchedKind,
        Meta(description="The kind of the fetched answer. It differs from `kind` only if `kind` is `stale`."),
    ]
    message: Annotated[str, Meta(description="The finding in words.")]
    status: AnswerStatus
    bytes: Annotated[Count | None, Meta(description="Bytes that were read. Null without a complete answer.")]
    text: Annotated[str | None, Meta(description="The text, at most 60,000 characters; null: there is none.")]
    truncated: Annotated[bool, Meta(description="Whether the text is cut.")]
    matches_last_write: Annotated[
        bool | None,
        Meta(
            description="Whether the file is the one that the service last wrote. Null: it never wrote one, or the "
            "address cannot be read."
        ),
    ]
    not_visible_yet: Annotated[bool, Meta(description="Whether a cache still serves an older file.")]
    cached: Annotated[CachedFile | None, Meta(description="The answer that visitors get; null: the same answer.")]
    fetched_at: Annotated[Timestamp, Meta(description="When it was read.")]


class DraftPage(Shape):
    """A page listed in the draft."""

    section: Annotated[str, Meta(description="The heading above the page in the draft.")]
    title: Annotated[str, Meta(description="The page's title.")]
    url: PageUrl


class Draft(Shape):
    """A draft made from the pages that the last audit read and that search engines may show."""

    text: Annotated[str, Meta(description="The draft.")]
    chars: Annotated[Count, Meta(description="The length in characters.")]
    pages: Annotated[list[DraftPage], Meta(description="Pages in the order of the text.")]


class LlmsChange(Shape):
    """The last approved change of the file."""

    batch_id: BatchId
    status: ChangeStatus
    value: Annotated[str, Meta(description="The text that was approved.")]
    previous: Annotated[str | None, Meta(description="The text that the service had written before; null: none.")]
    approved_by: Person
    approved_at: ApprovedAt
    applied_at: Annotated[Timestamp | None, Meta(description="When the value was written; null: not yet.")]
    error: Annotated[str | None, Meta(description="Why the text was not written or is not live, or null.")]


class LlmsTxt(Shape):
    """The website's llms.txt."""

    url: Annotated[Address, Meta(description="Address of the file.")]
    live: LiveFile
    draft: Annotated[Draft | None, Meta(description="The draft; null before the first audit.")]
    cms: FileAccess
    can_publish: Annotated[bool, Meta(description="Whether the connected CMS can write the file.")]
    last_change: LlmsChange | None
    max_chars: Annotated[int, Meta(description="Longest text that can be published.")]


class LiveCrawler(Shape):
    """The current verdict of robots.txt for one crawler and the home page."""

    bot: Bot
    owner: BotOwner
    purpose: BotPurpose
    kind: BotKind
    allowed: _Allowed
    source: VerdictSource
    line: _Line
    line_number: _LineNumber
    rule: Annotated[
        CrawlerRule | None, Meta(description="The rule that the service last wrote for the crawler; null: none.")
    ]
    matches: Annotated[
        bool | None,
        Meta(description="Whether robots.txt has the rule in `rule`. Null: no rule, or robots.txt could not be read."),
    ]


class RulesChange(Shape):
    """The last approved change of the rules."""

    batch_id: BatchId
    status: ChangeStatus
    value: Annotated[dict[str, CrawlerRule], Meta(description="The rules that were approved, by crawler.")]
    previous: Annotated[dict[str, CrawlerRule] | None, Meta(description="The rules before; null: none.")]
    approved_by: Person
    approved_at: ApprovedAt
    applied_at: Annotated[Timestamp | None, Meta(description="When the rules were written; null: not yet.")]
    error: Annotated[str | None, Meta(description="Why the rules were not written or are not live, or null.")]


class NewLlmsTxt(Body):
    """The new llms.txt."""

    value: Annotated[
        str,
        Meta(
            description="The whole text; empty to remove the file that the service wrote.",
            extra_json_schema={"maxLength": MOST_CHARACTERS},
        ),
    ]


class NewCrawlerRules(Body):
    """The full set of rules."""

    rules: Annotated[
        dict[str, CrawlerRule],
        Meta(
            description="The rule for each crawler, by its name as listed by `GET`. `{}` removes the rules that the "
            "service wrote."
        ),
    ]


class FileApproved(Shape):
    """The batch that writes the change: perhaps an earlier batch with the same change. `lastChange` and events give its
    ``batchId``."""

    approved: Annotated[Count, Meta(description="Number of files to write: 1.")]
    batch_id: BatchId
    poll: Annotated[
        Address, Meta(description="Address of the file in the API. Its `lastChange` has the change's result.")
    ]
    note: Annotated[str, Meta(description="What happens next, in a sentence.")]
    link: AppLink


class AiCrawlers(Shape):
    """The verdicts of robots.txt for the crawlers of assistants and search engines."""

    robots_txt: RobotsTxt
    crawlers: Annotated[list[LiveCrawler], Meta(description="The verdict for each crawler.")]
    rules: Annotated[dict[str, CrawlerRule], Meta(description="The rules that the service wrote, by crawler.")]
    cms: FileAccess
    can_publish: Annotated[bool, Meta(description="Whether the connected CMS can write rules.")]
    last_change: RulesChange | None
    note: Annotated[
        str | None,
        Meta(description="Remarks on robots.txt, such as lines that a CDN adds."),
    ]
