"""The tool that explains a rule: its check, its reason, the fix, and its exceptions."""

from typing import Final

from chalicelib.api.rule_texts import texts_of
from chalicelib.mcp.shortening import Found
from chalicelib.mcp.tool import Asked, Refusal, Tool


def run(asked: Asked) -> Found:
    """Return the rule's texts."""
    rule_id = asked.arguments["ruleId"].strip().upper()
    rule = texts_of(rule_id)
    if rule is None:
        raise Refusal(
            "not_found", "There is no rule with this id. Ids look like SEO-ONP-005 or KW-001; list_issues lists them."
        )
    return Found(
        members={
            "ruleId": rule.id,
            "title": rule.title,
            "category": rule.category,
            "severity": rule.severity,
            "confidence": rule.confidence,
            "effort": rule.effort,
            "writableField": rule.writable_field,
            "what": rule.what,
            "why": rule.why,
            "fix": rule.fix,
            "notWhen": rule.not_when,
        }
    )


TOOL: Final = Tool(
    name="explain_rule",
    about="What a rule looks for, why it matters, how to fix it, when it does not apply.",
    scopes=("issues:read",),
    run=run,
    properties={"ruleId": {"type": "string", "maxLength": 40}},
    required=("ruleId",),
    quotes=False,
)
