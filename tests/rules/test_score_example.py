"""The example in docs/api.md: its numbers follow from the rules' weights."""

from chalicelib.domain.audit.actions import Work, ranked
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.audit.score import RuleShare, Standing
from chalicelib.rules import registry
from chalicelib.rules.registry import BY_ID
from documents.files import DOCS

GUIDE = (DOCS / "api.md").read_text(encoding="utf-8")
ISSUES = {"SEO-ONP-001": (8, 200), "SEO-TEC-008": (10, 200), "SEO-AEO-008": (1, 1), "SEO-LNK-001": (2, 200)}
SHARES = [RuleShare(registry.scored(BY_ID[rule_id]), of, affected) for rule_id, (affected, of) in ISSUES.items()]
STANDING = Standing(SHARES, {"TEC", "ONP", "LNK", "AEO"})
WORK = {rule_id: Work(BY_ID[rule_id].severity, BY_ID[rule_id].effort_divisor) for rule_id in ISSUES}
ACTIONS = {
    action.issue.rule_id: action
    for action in ranked(
        [Issue(name, name, "open", affected, of, 0.0, 0.0, "") for name, (affected, of) in ISSUES.items()],
        STANDING,
        WORK,
    )
}


def row(rule_id: str) -> list[str]:
    (line,) = [line for line in GUIDE.splitlines() if line.startswith(f"| {rule_id}, ")]
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_the_table_of_the_score_example_is_right() -> None:
    points = STANDING.points_lost()
    for share in SHARES:
        rule, action = BY_ID[share.rule.id], ACTIONS[share.rule.id]
        weight = f"w {rule.weight:g}" if rule.gate is None else f"g {rule.gate:.2f}"
        assert action.gain is not None
        issue, affected, left, loss, lost, gained, priority = row(rule.id)
        assert issue == f"{rule.id}, {rule.severity}, effort {rule.effort_divisor:g}: {weight}, {rule.confidence}"
        assert affected == f"{share.affected} of {share.applicable}"
        assert left.rpartition(" = ")[2] == f"{rule_left(share):g}"
        assert loss == f"{share.loss:,}"
        assert (lost, gained) == (f"{points[rule.id] / 10:.1f}", f"{action.gain / 10:.1f}")
        assert priority == f"{action.priority:.2f}"


def rule_left(share: RuleShare) -> float:
    return share.rule.left(share.fraction)


def test_the_sums_of_the_score_example_are_right() -> None:
    found = STANDING.score()
    losses = {share.rule.id: share.loss for share in SHARES}
    health = [f"{losses[rule_id]:,}" for rule_id in ("SEO-ONP-001", "SEO-TEC-008", "SEO-LNK-001")]
    total = sum(losses.values()) - losses["SEO-AEO-008"]
    text = " ".join(GUIDE.split())
    assert f"Health loses {' + '.join(health)} = {total:,}: 100 × exp(−{total / 1e9:.9f}) = " in text
    assert found.aeo_tenths is not None
    health_points, aeo_points = found.health_tenths / 10, found.aeo_tenths / 10
    assert f"= {health_points}. AI readiness loses {losses['SEO-AEO-008']:,}, which gives {aeo_points}." in text
    assert f"{health_points}^0.75 × {aeo_points:g}^0.25 = {found.site_tenths / 10}" in text
    points = [f"{tenths / 10:.1f} ({rule_id})" for rule_id, tenths in STANDING.points_lost().items()]
    assert f"the missing {(1_000 - found.site_tenths) / 10} points" in text
    assert f": {' + '.join(points)}." in text
