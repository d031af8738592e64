"""Returns the texts of rules, for views that show findings."""

from chalicelib.rules import keywords
from chalicelib.rules.keywords import KeywordTask
from chalicelib.rules.model import Rule


def texts_of(rule_id: str) -> Rule | KeywordTask | None:
    """Return the texts of a rule or a keyword task; None if this release no longer has it."""
    return keywords.BY_ID.get(rule_id) or rule_of(rule_id)


def rule_of(rule_id: str) -> Rule | None:
    """Return the rule with this id; None if this release no longer has it. The old findings of such a rule are not
    shown.

    The registry of rules imports every rule. So it is loaded at the first call, and only by endpoint groups that show
    findings.
    """
    from chalicelib.rules import registry

    return registry.BY_ID.get(rule_id)
