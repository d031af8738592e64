"""The gate: decides whether an audit is good enough for a pipeline to continue. Its result is pass, fail or unclear.

A gate has up to three conditions. The gate fails if one condition fails, and passes if all hold; otherwise the result
is unclear. A finding is new if the base audit has no finding of the same rule on the same page; counts are not
compared. If one of the two audits did not reach a page, the page is not compared, so its findings count neither as new
nor as gone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from chalicelib.domain.audit.difference import PageRef, Some, pages_by_rule, some_of
from chalicelib.domain.audit.issues import OPEN_STATUSES
from chalicelib.domain.audit.kept import KeptAudit, KeptIssue, KeptPage
from chalicelib.domain.severity import SEVERITIES, Severity

Outcome = Literal["pass", "fail", "unclear"]
ConditionName = Literal["audit", "min_score", "no_new", "max_loss"]
# The least share of the base audit's pages to compare. With fewer, "no new findings" says little.
LEAST_COMPARED: Final = 0.5


class Asked(NamedTuple):
    """The conditions of a gate. ``min_score`` and ``max_loss`` are in tenths of a point. ``no_new``: the lowest
    severity of new findings with which the gate fails; None if new findings do not matter."""

    min_score: int | None = None
    no_new: Severity | None = None
    max_loss: int | None = None


class GateRule(NamedTuple):
    """The data about a rule that the gate needs.

    - ``of_website``: whether the rule judges the website as a whole.
    - ``measured``: whether the rule uses speed tests, which run at other times than the crawl.
    """

    severity: Severity
    of_website: bool
    measured: bool


class Verdict(NamedTuple):
    """The result of one condition, with a reason in one sentence. The condition ``audit`` (there is an audit to judge)
    is always checked."""

    condition: ConditionName
    outcome: Outcome
    reason: str


class NewFindings(NamedTuple):
    """The new findings of a rule. ``pages``: None if the findings concern the website as a whole."""

    rule_id: str
    pages: Some | None


class RuleChange(NamedTuple):
    """A rule whose findings cost more or fewer score points than before. ``loss``: the difference in tenths of a point;
    negative if the findings cost fewer."""

    rule_id: str
    loss: int


class Judgement(NamedTuple):
    """The result of a gate, with its details. A value is None if it was not requested or is not known.

    - ``new``: the findings that the base audit does not have.
    - ``compared`` and ``not_compared``: how many pages of the two audits could and could not be compared.
    - ``ignored``: how many issues people ignore, counting only severities that the gate checks.
    - ``losses``: rules that cost more or fewer points than before, the largest increase first.
    - ``rules_left_out``: rules with open issues that could not be compared.
    """

    outcome: Outcome
    verdicts: tuple[Verdict, ...]
    new: tuple[NewFindings, ...] | None = None
    compared: int | None = None
    not_compared: int | None = None
    ignored: int | None = None
    losses: tuple[RuleChange, ...] | None = None
    rules_left_out: tuple[str, ...] = ()


def without_audit(reason: str) -> Judgement:
    """Make the result for the case that there is no audit to judge."""
    return Judgement("unclear", (Verdict("audit", "unclear", reason),))


def judge(
    asked: Asked,
    head: KeptAudit,
    base: KeptAudit | None,
    pages: tuple[Sequence[KeptPage] | None, Sequence[KeptPage] | None],
    rules: Mapping[str, GateRule],
) -> Judgement:
    """Judge the audit ``head`` by comparing it with ``base`` (None: there is no audit to compare with).

    - ``pages``: the pages of ``head`` and the pages of ``base``; None if they are not stored.
    - ``rules``: all current rules, by id.
    """
    verdicts = []
    if asked.min_score is not None:
        verdicts.append(_min_score(asked.min_score, head))
    found = None
    if asked.no_new is not None:
        found = None if base is None else _Comparison(asked.no_new, head, base, pages, rules)
        verdicts.append(_no_new(asked.no_new, found))
    if asked.max_loss is not None:
        verdicts.append(_max_loss(asked.max_loss, head, base))
    return Judgement(
        _worst(one.outcome for one in verdicts),
        tuple(verdicts),
        new=None if found is None else tuple(found.new),
        compared=None if found is None else found.compared,
        not_compared=None if found is None else found.not_compared,
        ignored=None if found is None else found.ignored,
        losses=None if base is None or asked.max_loss is None else _losses(head, base),
        rules_left_out=() if found is None else tuple(found.rules_left_out),
    )


def _worst(outcomes: Iterable[Outcome]) -> Outcome:
    found = set(outcomes)
    return "fail" if "fail" in found else "unclear" if "unclear" in found else "pass"


# -- the score -----------------------------------------------------------------------------------------


def _shown(tenths: int) -> str:
    return f"{tenths / 10:.1f}"


def _min_score(least: int, head: KeptAudit) -> Verdict:
    if head.score is None:
        return Verdict("min_score", "unclear", "The audit could judge too little for a score.")
    score = head.score.site
    if score < least:
        return Verdict("min_score", "fail", f"The score is {_shown(score)}, below {_shown(least)}.")
    return Verdict("min_score", "pass", f"The score is {_shown(score)}, which is at least {_shown(least)}.")


def _max_loss(most: int, head: KeptAudit, base: KeptAudit | None) -> Verdict:
    if base is None:
        return Verdict("max_loss", "unclear", _NO_BASE)
    if head.score is None or base.score is None:
        return Verdict("max_loss", "unclear", "One of the two audits could judge too little for a score.")
    if head.score.version != base.score.version:
        return Verdict("max_loss", "unclear", "The scores of the two audits were computed in different ways.")
    before, after = base.score.site, head.score.site
    moved = f"The score went from {_shown(before)} to {_shown(after)}"
    if before - after > most:
        return Verdict("max_loss", "fail", f"{moved}: a loss of more than {_shown(most)}.")
    return Verdict("max_loss", "pass", f"{moved}: no loss of more than {_shown(most)}.")


_NO_BASE: Final = "No audit before this one is stored, so there is nothing to compare."


def _losses(head: KeptAudit, base: KeptAudit) -> tuple[RuleChange, ...] | None:
    if head.losses is None or base.losses is None or head.score is None or base.score is None:
        return None
    if head.score.version != base.score.version:
        return None
    before, after = ({one.rule_id: one.points for one in audit.losses or ()} for audit in (base, head))
    changes = [
        RuleChange(rule_id, after.get(rule_id, 0) - before.get(rule_id, 0))
        for rule_id in sorted(before.keys() | after.keys())
    ]
    return tuple(sorted((one for one in changes if one.loss), key=lambda one: -one.loss))


# -- what is new ---------------------------------------------------------------------------------------


def _no_new(least: Severity, found: "_Comparison | None") -> Verdict:
    if found is None:
        return Verdict("no_new", "unclear", _NO_BASE)
    if found.new:
        rules, count = len(found.new), sum(1 if one.pages is None else one.pages.count for one in found.new)
        said = f"{_counted(count, 'new finding')} of {_counted(rules, 'rule')} of severity {_or_above(least)}"
        if found.other_rules:
            return Verdict("no_new", "unclear", f"{said}, but the two audits were judged by different rules.")
        return Verdict("no_new", "fail", f"{said}.")
    if found.pages_missing:
        return Verdict("no_new", "unclear", "The pages of one of the two audits are not stored, or no longer stored.")
    if found.few:
        return Verdict("no_new", "unclear", f"Only {found.compared:,} of {found.of_base:,} pages could be compared.")
    return Verdict("no_new", "pass", f"No finding of severity {_or_above(least)} is new.")


def _counted(count: int, name: str) -> str:
    return f"{count:,} {name}" if count == 1 else f"{count:,} {name}s"


def _or_above(least: Severity) -> str:
    return least if least == SEVERITIES[0] else f"{least} or above"


class _Comparison:
    """The new findings of all rules of the counted severities.

    - ``rules_left_out``: rules that one of the audits did not judge, and rules that use speed tests.
    - ``pages_missing``: whether pages to compare are not stored.
    - ``of_base``: the number of pages that ``base`` read and that still exist, at most the number that a preview was
      asked to read.
    """

    def __init__(
        self,
        least: Severity,
        head: KeptAudit,
        base: KeptAudit,
        pages: tuple[Sequence[KeptPage] | None, Sequence[KeptPage] | None],
        rules: Mapping[str, GateRule],
    ) -> None:
        counted = SEVERITIES[: SEVERITIES.index(least) + 1]
        wanted = {rule_id: rule for rule_id, rule in rules.items() if rule.severity in counted}
        self._base = base
        self._issues = {issue.rule_id: issue for issue in base.issues}
        self._earlier: dict[str, KeptPage] = {}
        self._listed: tuple[dict[str, dict[str, KeptPage]], dict[str, dict[str, KeptPage]]] | None = None
        self.other_rules = head.ruleset != base.ruleset
        self.new: list[NewFindings] = []
        self.rules_left_out: list[str] = []
        self.pages_missing = False
        self.ignored = sum(one.status == "ignored" and one.rule_id in wanted for one in head.issues)
        self.compared: int | None = None
        self.not_compared: int | None = None
        self.of_base = 0
        head_pages, base_pages = pages
        if head_pages is not None and base_pages is not None:
            self._listed = pages_by_rule(head_pages), pages_by_rule(base_pages, ignored=True)
            self._count(head, head_pages, base_pages)
        for issue in sorted(head.issues, key=lambda one: one.rule_id):
            if issue.rule_id in wanted and issue.status in OPEN_STATUSES:
                self._compare(issue, wanted[issue.rule_id])

    @property
    def few(self) -> bool:
        return self.compared is not None and self.compared < LEAST_COMPARED * self.of_base

    def _count(self, head: KeptAudit, head_pages: Sequence[KeptPage], base_pages: Sequence[KeptPage]) -> None:
        self._earlier = {page.id: page for page in base_pages}
        now = {page.id: page for page in head_pages if page.read}
        gone = sum(page.read and page.id not in now for page in base_pages)
        left = gone if head.partial_reason is None else 0  # the whole website was read, so these pages are gone
        self.compared = sum(page.current is not False and self._knew(page.id) for page in now.values())
        self.not_compared = len(now) - self.compared + gone - left
        self.of_base = sum(page.read for page in base_pages) - left
        if head.asked is not None:
            self.of_base = min(self.of_base, head.asked)

    def _knew(self, page_id: str) -> bool:
        """Whether the earlier audit knew the state of a page. If it read the whole website, a page that it did not find
        is new."""
        before = self._earlier.get(page_id)
        return self._base.partial_reason is None or (before is not None and before.read)

    def _compare(self, issue: KeptIssue, rule: GateRule) -> None:
        before = self._issues.get(issue.rule_id)
        judged_before = issue.rule_id in self._base.counts and (before is None or before.judged)
        was_there = before is not None and before.status != "resolved"
        if rule.measured or not issue.judged or not judged_before:
            self.rules_left_out.append(issue.rule_id)
        elif rule.of_website:
            if not was_there:
                self.new.append(NewFindings(issue.rule_id, None))
        elif self._listed is not None:
            now, earlier = (of_audit.get(issue.rule_id, {}) for of_audit in self._listed)
            pages = [PageRef(page.id, page.url) for page in now.values() if page.id not in earlier]
            pages = [page for page in pages if self._knew(page.page_id)]
            if pages:
                self.new.append(NewFindings(issue.rule_id, some_of(pages)))
        elif was_there or self._base.partial_reason is not None:
            self.pages_missing = True
        else:
            self.new.append(NewFindings(issue.rule_id, Some(issue.affected_pages, ())))
