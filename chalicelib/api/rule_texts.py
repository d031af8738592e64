"""The texts of rules, for views that show findings."""

from chalicelib.rules import keywords
from chalicelib.rules.keywords import KeywordTask
from chalicelib.rules.model import Rule


def texts_of(rule_id: str) -> Rule | KeywordTask | None:
    """The texts of a rule or a keyword task; None as ``rule_of``."""
    return keywords.BY_ID.get(rule_id) or rule_of(rule_id)


def rule_of(rule_id: str) -> Rule | None:
    """The rule, or None when a newer set of rules no longer has it; its old findings are no longer shown.

    The registry imports every rule, so only groups that show findings load it, on first use.
    """
    from chalicelib.rules import registry

    return registry.BY_ID.get(rule_id)
