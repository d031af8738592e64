"""Gets AI explanations of issues on request, from the assistant that the operator connected."""

import msgspec

from chalicelib import clock
from chalicelib.connectors.assistants import drafting
from chalicelib.connectors.errors import OutsideError
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit import explanation
from chalicelib.domain.audit.issues import Issue
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused
from chalicelib.operations.issues import busy, load
from chalicelib.operations.websites import existing
from chalicelib.rules import registry
from chalicelib.rules.model import Rule
from chalicelib.store import issues
from chalicelib.store.transactions import Conflict, commit


def explain(actor: Actor, site_id: str, issue_id: str) -> Issue:
    """Let the assistant explain an issue, and store the explanation. It replaces an earlier explanation. May take a
    minute.

    The explanation is about the issue as it is now. Later audits and rechecks do not change it.

    Refused: ``not_found``, ``not_allowed``, ``wrong_state`` (the issue is resolved), ``cannot_explain`` (the issue is
    not from a rule). If the assistant fails: ``not_connected``, ``no_access``, ``quota``, ``unavailable``, ``refused``.
    """
    website = existing(actor, site_id, "work")
    _, issue = load(site_id, issue_id)
    rule = registry.BY_ID.get(issue.rule_id)
    if rule is None:
        raise Refused("cannot_explain", f"{issue.rule_id} is not a rule of the audit, so there is nothing to explain.")
    if issue.status == "resolved":
        raise Refused("wrong_state", "An issue that is resolved cannot be explained: no page shows it any more.")
    try:
        assistant = drafting.connected()
        pages = issues.load_affected(site_id, issue)
        prompt = explanation.prompt(_texts(rule), issue, website.host, pages)
        draft = assistant.draft(prompt, instructions=explanation.INSTRUCTIONS)
    except OutsideError as error:
        raise Refused(error.code, error.message) from None
    text = explanation.tidy(draft.text)
    if not text:
        raise Refused("refused", f"The assistant ({draft.provider}) answered without a text.")
    return _store(site_id, issue_id, text, f"{draft.provider} {draft.model}")


def _store(site_id: str, issue_id: str, text: str, explained_by: str) -> Issue:
    """Store the text in the current issue. Others may have changed the issue while the assistant wrote."""
    for _ in tries():
        book, issue = load(site_id, issue_id)
        explained = msgspec.structs.replace(
            issue, explanation=text, explained_at=clock.now(), explained_by=explained_by
        )
        try:
            commit([issues.put_state(site_id, book.with_issue(explained), replaces=book.version)])
        except Conflict:
            continue
        return explained
    raise busy()


def _texts(rule: Rule) -> explanation.RuleTexts:
    return explanation.RuleTexts(
        rule.id, rule.title, rule.severity, rule.what, rule.why, rule.fix, rule.not_when, rule.advice
    )
