"""Keyword tasks: work that search and visibility data suggest, in addition to the audit's rules.

They appear only in the list of actions. They are not issues and do not affect the score. A recheck cannot judge them,
because they are computed from data that is imported once a day. ``domain.audit.issues.is_keyword_task`` distinguishes
their ids from ids of rules.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from chalicelib.domain.severity import Severity
from chalicelib.domain.suggestion import WritableField
from chalicelib.rules.model import EFFORT_DIVISOR, Confidence, Effort

CATEGORY: Final[Literal["KW"]] = "KW"
CONFIDENCE: Final[Confidence] = "likely"


@dataclass(frozen=True, slots=True)
class KeywordTask:
    """One kind of task.

    - ``writable_fields``: the fields whose change can complete the task, in order of preference. Many kinds of task
      have no such field.
    - ``gain``: what the number in a task's gain counts, such as "clicks lost in 28 days"; None if the tasks have no
      number.
    """

    id: str
    title: str
    severity: Severity
    effort: Effort
    writable_fields: tuple[WritableField, ...]
    gain: str | None
    what: str
    why: str
    fix: str
    not_when: str

    @property
    def writable_field(self) -> WritableField | None:
        """The field for which a suggestion is made. None if no field can be written."""
        return self.writable_fields[0] if self.writable_fields else None

    @property
    def category(self) -> Literal["KW"]:
        return CATEGORY

    @property
    def confidence(self) -> Confidence:
        return CONFIDENCE

    @property
    def scope(self) -> Literal["page"]:
        return "page"

    @property
    def shortens_title(self) -> bool:
        return False

    @property
    def effort_divisor(self) -> float:
        """The number by which the priority is divided because of the effort: 1, 1.5 or 2."""
        return EFFORT_DIVISOR[self.effort]


TASKS: Final[tuple[KeywordTask, ...]] = (
    KeywordTask(
        id="KW-001",
        title="Low click rate for the position",
        severity="medium",
        effort="low",
        writable_fields=("title", "meta_description"),
        gain="clicks missed in 28 days",
        what="A page is shown at least 200 times in 28 days for a query, at position 10 or better. It gets fewer than "
        "half of the clicks that are usual for that position on this website.",
        why="People see the page in the results and choose another one. A better title and description are the "
        "cheapest way to more visitors.",
        fix="Write a title and a description that answer the query and say what sets the page apart.",
        not_when="Queries for the website's own name are left out, because everybody clicks the first result there.",
    ),
    KeywordTask(
        id="KW-002",
        title="Striking distance",
        severity="medium",
        effort="medium",
        writable_fields=(),
        gain="more clicks in 28 days at a better position",
        what="A page is between position 4.5 and 15.4 for a query with at least 100 impressions in 28 days.",
        why="A few positions higher, the page gets several times as many clicks. That takes less work than a new page.",
        fix="Answer the query more fully on the page, and link to it from related pages with words of the query.",
        not_when="Only the thousand pairs of page and query with the most clicks to win are listed.",
    ),
    KeywordTask(
        id="KW-003",
        title="Two pages compete for one query",
        severity="medium",
        effort="medium",
        writable_fields=("canonical",),
        gain="clicks split between the pages",
        what="Two or more pages of the website are shown for one query, all at position 20 or better. Each page has "
        "at least 50 impressions, and at least a tenth of the query's impressions. The page with the most clicks "
        "changes, or no page has 70% of the clicks.",
        why="The search engine cannot tell which page is meant, and ranks both lower than it would rank one.",
        fix="Merge the pages, or let each answer another question, and link from the weaker to the stronger one.",
        not_when="Queries for the website's own name are left out. Results that are shown together, one below the "
        "other, are left out.",
    ),
    KeywordTask(
        id="KW-004",
        title="Query not in title or H1",
        severity="low",
        effort="low",
        writable_fields=("title",),
        gain=None,
        what="A query brings at least a fifth of a page's clicks. One word of the query is missing from both the "
        "page's title and its main heading.",
        why="People look for their own words in results, and search engines print them in bold.",
        fix="Use the word in the title or in the main heading, where it says what the page is about.",
        not_when="A different form of the word (singular or plural) counts as the same word.",
    ),
    KeywordTask(
        id="KW-005",
        title="Page losing clicks",
        severity="high",
        effort="high",
        writable_fields=(),
        gain="clicks lost in 28 days",
        what="A page has lost at least 30% of its clicks, and at least 20 clicks, compared with the 28 days before. If "
        "the clicks of the same days a year ago are known, the page must have lost as much compared with those days "
        "too.",
        why="The page is out of date, other pages answer better, or something on it broke.",
        fix="Compare the queries of both periods, update the page, and look at the results above it.",
        not_when="No single pages are reported while the whole website has lost a fifth of its clicks or more.",
    ),
    KeywordTask(
        id="KW-006",
        title="Page lost its impressions",
        severity="high",
        effort="medium",
        writable_fields=(),
        gain="impressions lost in 28 days",
        what="A page that was shown at least 200 times in 28 days is shown less than a tenth as often now.",
        why="The page has left the index, or another page took its place.",
        fix="Look up the page's state in the search engine's own tools, and request indexing if nothing is wrong.",
        not_when="Pages that answer with an error or may not be indexed are reported by the rules for those faults.",
    ),
    KeywordTask(
        id="KW-007",
        title="Ranking page with a defect",
        severity="high",
        effort="medium",
        writable_fields=(),
        gain=None,
        what="One of the 10% of pages with the most clicks has an open issue of severity critical or high.",
        why="Most of the website's visitors land on these pages, so their defects cost most.",
        fix="Fix the issues of this page first.",
        not_when="The issue itself is listed too; this task only shows where it costs most.",
    ),
    KeywordTask(
        id="KW-008",
        title="Impressions without clicks",
        severity="low",
        effort="low",
        writable_fields=("title", "meta_description"),
        gain="clicks expected in 28 days",
        what="A page is shown at least 500 times in 28 days at position 20 or better, and nobody clicks.",
        why="The title and description in the results do not say that the page answers the question.",
        fix="Write a title and a description that answer the queries for which the page is shown.",
        not_when="Pages that are shown further down are left out, because hardly anybody looks there.",
    ),
    KeywordTask(
        id="KW-009",
        title="Question query without an answer block",
        severity="low",
        effort="medium",
        writable_fields=(),
        gain=None,
        what="A page is at position 10 or better for a query that begins with a question word. No heading of the page "
        "shares at least 60% of the query's words.",
        why="Search engines and assistants quote the passage below a heading that asks the question.",
        fix="Add the question as a heading, and answer it in two or three sentences right below.",
        not_when="A heading that asks the question in other words counts if at least 60% of the query's words are in "
        "it.",
    ),
    KeywordTask(
        id="KW-010",
        title="Weak topic",
        severity="low",
        effort="high",
        writable_fields=(),
        gain="clicks that the topic lacks to reach five per page in 28 days",
        what="A topic of at least five pages gets fewer than five clicks per page in 28 days. Of these weak topics, "
        "only the quarter that lacks the most clicks is listed.",
        why="Pages that link each other are found more often than the same number of single ones.",
        fix="Link the pages of the topic with each other, merge those that say the same, and write what is missing.",
        not_when="Topics of fewer than five pages are too small to be judged.",
    ),
    KeywordTask(
        id="KW-011",
        title="AI answer gap",
        severity="medium",
        effort="medium",
        writable_fields=(),
        gain=None,
        what="Assistants answer a prompt of the website without naming the website. But a page of the website shares "
        "at least half of the prompt's words.",
        why="The page exists, but assistants never cite it: they cannot read it, or find a better passage elsewhere.",
        fix="Put a short, direct answer to the question at the top of that page, and check that crawlers may read it.",
        not_when="Questions that fit no page of the website are listed as gaps, not as tasks.",
    ),
    KeywordTask(
        id="KW-012",
        title="Good search traffic, poor conversion",
        severity="low",
        effort="high",
        writable_fields=(),
        gain="more conversions if the page reached the website's rate",
        what="A page gets at least 100 sessions from search in 28 days. Its conversion rate is below 40% of the whole "
        "website's rate.",
        why="The visitors are already there, so a page that converts them pays more than new visitors.",
        fix="Say on the page what to do next, and check that it offers what its visitors searched for.",
        not_when="Only websites with a connected analytics property are judged.",
    ),
)

BY_ID: Final[Mapping[str, KeywordTask]] = {task.id: task for task in TASKS}
