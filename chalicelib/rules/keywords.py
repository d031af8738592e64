"""Keyword tasks: what search and visibility data ask for, beside the audit's rules.

They are only in the list of actions: not among the issues, without a score, and no recheck can judge them, since they
follow from data that arrives once a day. Their ids differ from those of rules
(``domain.audit.issues.is_keyword_task``).
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
    """One kind of task. ``writable_fields``: what apply may write for it, first choice first; often nothing.

    ``gain``: what its priority is measured by, in words; None if it has no measure of its own.
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
        """The field that a suggestion is made for; None if nothing can be written."""
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
        """The divisor of the priority for the work: 1, 1.5 or 2."""
        return EFFORT_DIVISOR[self.effort]


TASKS: Final[tuple[KeywordTask, ...]] = (
    KeywordTask(
        id="KW-001",
        title="Low click rate for the position",
        severity="medium",
        effort="low",
        writable_fields=("title", "meta_description"),
        gain="clicks missed in 28 days",
        what="A page is shown at least 200 times in 28 days for a query, at position 10 or better, and fewer than half "
        "as many people click as is usual for that position on this website.",
        why="The page is found, and people choose another result. A better line to read is the cheapest way to more "
        "visitors.",
        fix="Write a title and a description that answer the query and say what sets the page apart.",
        not_when="Queries for the website's own name are left out: there everybody clicks the first result.",
    ),
    KeywordTask(
        id="KW-002",
        title="Striking distance",
        severity="medium",
        effort="medium",
        writable_fields=(),
        gain="clicks to win in 28 days",
        what="A page stands between position 4.5 and 15.4 for a query that is shown at least 100 times in 28 days.",
        why="A few places up, such a page gets several times as many clicks. It takes less than a new page.",
        fix="Answer the query more fully on the page, and link to it from related pages with words of the query.",
        not_when="Only the thousand pairs of page and query with the most to win are listed.",
    ),
    KeywordTask(
        id="KW-003",
        title="Two pages compete for one query",
        severity="medium",
        effort="medium",
        writable_fields=("canonical",),
        gain="clicks split between the pages",
        what="Two or more pages of the website are shown for one query, each with at least a tenth and at least 50 of "
        "the impressions, all at position 20 or better, and the leading one changes, or none has 70% of the clicks.",
        why="The search engine cannot tell which page is meant, and ranks both lower than one would stand.",
        fix="Merge the pages, or let each answer another question, and link from the weaker to the stronger one.",
        not_when="Queries for the website's own name, and results that are shown together below one another, are left "
        "out.",
    ),
    KeywordTask(
        id="KW-004",
        title="Query not in title or H1",
        severity="low",
        effort="low",
        writable_fields=("title",),
        gain=None,
        what="A word of the query that brings at least a fifth of a page's clicks stands neither in its title nor in "
        "its main heading.",
        why="People look for their own words in results, and search engines print them in bold.",
        fix="Use the word in the title or in the main heading, where it says what the page is about.",
        not_when="Another form of the same word (singular, plural) counts as the word.",
    ),
    KeywordTask(
        id="KW-005",
        title="Page losing clicks",
        severity="high",
        effort="high",
        writable_fields=(),
        gain="clicks lost in 28 days",
        what="A page has lost at least 30% and at least 20 of its clicks against the 28 days before, and against the "
        "same days a year ago where those are known.",
        why="The page has become outdated, others answer better, or something on it broke.",
        fix="Compare the queries of then and now, bring the page up to date, and look at what stands above it.",
        not_when="Nothing is said of single pages while the whole website has lost a fifth of its clicks or more.",
    ),
    KeywordTask(
        id="KW-006",
        title="Page lost its impressions",
        severity="high",
        effort="medium",
        writable_fields=(),
        gain="impressions lost in 28 days",
        what="A page that was shown at least 200 times in 28 days is shown less than a tenth as often now.",
        why="It has left the index, or another page took its place.",
        fix="Ask the search engine's own tools for the page's state, and request indexing when nothing is wrong.",
        not_when="Pages that answer with an error or may not be indexed are reported by the rules about that.",
    ),
    KeywordTask(
        id="KW-007",
        title="Ranking page with a defect",
        severity="high",
        effort="medium",
        writable_fields=(),
        gain=None,
        what="A page among the tenth with the most clicks has an open issue of severity critical or high.",
        why="Most of the website's visitors land on these pages, so their defects cost most.",
        fix="Mend the issues of this page first.",
        not_when="The issue itself is listed as well; this task only says where it weighs most.",
    ),
    KeywordTask(
        id="KW-008",
        title="Impressions without clicks",
        severity="low",
        effort="low",
        writable_fields=("title", "meta_description"),
        gain="clicks expected in 28 days",
        what="A page is shown at least 500 times in 28 days at position 20 or better, and nobody clicks.",
        why="What results show of the page does not say that it answers the question.",
        fix="Write a title and a description that answer the queries for which it is shown.",
        not_when="Pages that are shown further down are left out: there hardly anybody looks.",
    ),
    KeywordTask(
        id="KW-009",
        title="Question query without an answer block",
        severity="low",
        effort="medium",
        writable_fields=(),
        gain=None,
        what="A page stands at position 10 or better for a query that begins with a question word, and has no heading "
        "that shares at least 60% of its words.",
        why="Search engines and assistants quote the passage below a heading that asks the question.",
        fix="Add the question as a heading, and answer it in two or three sentences right below.",
        not_when="A heading that asks the same in other words counts when enough words are the same.",
    ),
    KeywordTask(
        id="KW-010",
        title="Weak topic",
        severity="low",
        effort="high",
        writable_fields=(),
        gain="clicks short of a strong topic in 28 days",
        what="A topic of at least five pages gets fewer than five clicks a page in 28 days, and is among the quarter "
        "of topics that lack most.",
        why="Pages that support each other are found more often than the same number of single ones.",
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
        what="Assistants answer an observed question without naming the website, although one of its pages shares at "
        "least half of the words of the question.",
        why="The page exists and is never cited: assistants cannot reach it, or find a better passage elsewhere.",
        fix="Put a short, direct answer to the question at the top of that page, and see that crawlers may read it.",
        not_when="Questions that no page of the website is about are listed as gaps, not as tasks.",
    ),
    KeywordTask(
        id="KW-012",
        title="Good search traffic, poor conversion",
        severity="low",
        effort="high",
        writable_fields=(),
        gain="sessions times the missing conversion rate",
        what="A page gets at least 100 sessions from search in 28 days, and fewer than 40% as many of them convert as "
        "on the website as a whole.",
        why="The visitors are there already: a page that leads on pays more than new visitors.",
        fix="Say on the page what to do next, and check that it offers what its searchers came for.",
        not_when="Only websites with a connected analytics property are judged.",
    ),
)

BY_ID: Final[Mapping[str, KeywordTask]] = {task.id: task for task in TASKS}
