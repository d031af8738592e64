"""Every shape of packed values, with its version. ``docs/changing.md`` explains how to change one.

``first=0`` means that data of this shape may still be stored without a version; such data counts as version 0. From
version 2 of a shape on, ``first=0`` has no effect and can be removed.
"""

from datetime import date

import msgspec

from chalicelib.domain.analytics.landing_pages import LandingPages
from chalicelib.domain.audit.difference import KeptDifference
from chalicelib.domain.audit.issue_log import LogEntry
from chalicelib.domain.audit.issues import IssueBook
from chalicelib.domain.audit.kept import KeptAudit, KeptPage
from chalicelib.domain.audit.records import AffectedPage, PageFinding, PageRow
from chalicelib.domain.audit.summary import SiteSummary
from chalicelib.domain.changes.batch import StoredChange, UndoToken
from chalicelib.domain.changes.missing_addresses import Offered
from chalicelib.domain.connections import Connections
from chalicelib.domain.content import ContentItem
from chalicelib.domain.crawl.frontier import Step
from chalicelib.domain.page.facts import PageFacts, SiteFacts, TargetFacts
from chalicelib.domain.page.rendered import RenderedSample
from chalicelib.domain.readiness.records import Readiness
from chalicelib.domain.readiness.written import LlmsWrite, RulesWrite
from chalicelib.domain.search.columns import DayRows, MonthRows, Texts
from chalicelib.domain.search.figures import Figures
from chalicelib.domain.search.manifest import Manifest
from chalicelib.domain.search.recent import RecentDays
from chalicelib.domain.search.rows import RankedRows
from chalicelib.domain.search.topics import Topic
from chalicelib.domain.search.totals import DayTotals
from chalicelib.domain.speed.records import FieldBook, SpeedResult
from chalicelib.domain.suggestion import Suggestion
from chalicelib.domain.visibility.prompts import Prompt
from chalicelib.domain.visibility.samples import Sample, Week
from chalicelib.domain.webhooks.events import Event
from chalicelib.store.packing import Before, Shape


class _DaysOfFigures(msgspec.Struct):
    """``RecentDays`` in version 1."""

    final_day: date
    days: tuple[Figures | None, ...]


def _in_columns(known: _DaysOfFigures) -> RecentDays:
    return RecentDays.of_figures(known.days, known.final_day)


# -- table crawls
PAGE_FACTS = Shape("page_facts", list[PageFacts], version=2, marked=1)
TARGET_FACTS = Shape("target_facts", list[TargetFacts], version=2, marked=1)
SITE_FACTS = Shape("site_facts", SiteFacts, version=2, marked=1)
SITEMAP_URLS = Shape("sitemap_urls", list[tuple[str, str | None]], version=1, first=0)  # of SiteFacts
SITEMAP_LANGUAGES = Shape("sitemap_languages", list[tuple[str, list[tuple[str, str]]]], version=1)  # of SiteFacts
STEP = Shape("step", Step, version=2, marked=1)
KEPT_AUDIT = Shape("kept_audit", KeptAudit, version=1)
KEPT_PAGES = Shape("kept_pages", list[KeptPage], version=1)
KEPT_DIFFERENCE = Shape("kept_difference", KeptDifference, version=1)

# -- table pages
PAGE_ROWS = Shape("page_rows", list[PageRow], version=1, first=0)
PAGE_FINDINGS = Shape("page_findings", dict[str, list[PageFinding]], version=1, first=0)  # by page id
MISSING = Shape("missing_addresses", list[Offered], version=1)
CONTENT_ITEMS = Shape("content_items", list[ContentItem], version=2)

# -- table issues
ISSUE_LOG = Shape("issue_log", list[LogEntry], version=1)
ISSUE_BOOK = Shape("issue_book", IssueBook, version=3, marked=2, first=2)
AFFECTED_PAGES = Shape("affected_pages", list[AffectedPage], version=1, first=0)
SUGGESTIONS = Shape("suggestions", list[Suggestion], version=2)

# -- table changes
CHANGES = Shape("changes", list[StoredChange], version=3, marked=2)
UNDO_TOKENS = Shape("undo_tokens", list[UndoToken], version=2)

# -- table sites
SITE_SUMMARY = Shape("site_summary", SiteSummary, version=3, marked=2, first=2)
CONNECTIONS = Shape("connections", Connections, version=3, marked=2, first=2)
RECENT_SEARCH = Shape("recent_search", RecentDays, version=2, before=Before(_DaysOfFigures, _in_columns))

# -- table search
SEARCH_MANIFEST = Shape("search_manifest", Manifest, version=1)
SEARCH_KEYS = Shape("search_keys", Texts, version=1)
SEARCH_DAY = Shape("search_day", DayRows, version=1)
SEARCH_MONTH = Shape("search_month", MonthRows, version=1)
SEARCH_TOTALS = Shape("search_totals", list[DayTotals], version=1)

# -- table ai
READINESS = Shape("readiness", Readiness, version=1)
RENDERED_SAMPLE = Shape("rendered_sample", RenderedSample, version=1)
LLMS_WRITE = Shape("llms_write", LlmsWrite, version=1)
RULES_WRITE = Shape("rules_write", RulesWrite, version=1)
PROMPTS = Shape("prompts", list[Prompt], version=1)
SAMPLE = Shape("sample", Sample, version=1)
VISIBILITY_WEEK = Shape("visibility_week", Week, version=1)
SPEED_RESULTS = Shape("speed_results", list[SpeedResult], version=1)
FIELD_BOOK = Shape("field_book", FieldBook, version=1)

# -- table jobs
SPEED_RESULT = Shape("speed_result", SpeedResult, version=1)  # the result of a test that was run again

# -- table webhooks
EVENTS = Shape("events", list[Event], version=1, first=0)
DELIVERY_BODY = Shape(
    "delivery_body", bytes, version=1, first=0
)  # the format of the body itself is a contract with receivers

# -- table ops
SEARCH_RESULT = Shape("search_result", RankedRows, version=1)
TOPICS = Shape("topics", list[Topic], version=1)
LANDING_PAGES = Shape("landing_pages", LandingPages, version=1)

ALL = (
    *(PAGE_FACTS, TARGET_FACTS, SITE_FACTS, SITEMAP_URLS, SITEMAP_LANGUAGES, STEP),
    *(KEPT_AUDIT, KEPT_PAGES, KEPT_DIFFERENCE),
    *(PAGE_ROWS, PAGE_FINDINGS, MISSING, CONTENT_ITEMS),
    *(ISSUE_BOOK, ISSUE_LOG, AFFECTED_PAGES, SUGGESTIONS, CHANGES, UNDO_TOKENS),
    *(SEARCH_MANIFEST, SEARCH_KEYS, SEARCH_DAY, SEARCH_MONTH, SEARCH_TOTALS, RECENT_SEARCH),
    *(SITE_SUMMARY, CONNECTIONS, READINESS, RENDERED_SAMPLE, LLMS_WRITE, RULES_WRITE),
    *(PROMPTS, SAMPLE, VISIBILITY_WEEK),
    *(SPEED_RESULTS, FIELD_BOOK, SPEED_RESULT),
    *(EVENTS, DELIVERY_BODY, SEARCH_RESULT, TOPICS, LANDING_PAGES),
)
