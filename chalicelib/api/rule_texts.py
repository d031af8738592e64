"""What rules say of themselves, for the views that show findings."""

from chalicelib.rules import keywords
from chalicelib.rules.keywords import KeywordTask
from chalicelib.rules.model import Rule


def texts_of(rule_id: str) -> Rule | KeywordTask | None:
    """What a rule or a keyword task says of itself; None as ``rule_of``."""
    return keywords.BY_ID.get(rule_id) or rule_of(rule_id)


def rule_of(rule_id: str) -> Rule | None:
    """The rule, or None when a newer set of rules no longer has it: what it once found is shown no more.

    The registry imports every rule: only groups that show findings pay for it, and only when they first do.
    """
    from chalicelib.rules import registry

    return registry.BY_ID.get(rule_id)
