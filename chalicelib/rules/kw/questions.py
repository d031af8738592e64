"""Selects the questions that assistants answered in the given weeks, for KW-011."""

from collections.abc import Collection, Iterable, Sequence
from urllib.parse import urlsplit

from chalicelib.domain.search.addresses import page_key
from chalicelib.domain.visibility.citations import is_ours, our_domain
from chalicelib.domain.visibility.rates import gaps, last_asked
from chalicelib.domain.visibility.samples import Answer, Week
from chalicelib.rules.kw.model import AskedQuestion


def asked_questions(weeks: Sequence[Week], active: Collection[str], host: str) -> list[AskedQuestion]:
    """Return the active prompts that were answered in these weeks (newest first). ``host``: the website's host."""
    others = {gap.prompt_id: gap.others for gap in gaps(weeks, active, host)}
    answers: dict[str, list[Answer]] = {}
    for week in weeks:
        for answer in week.answers:
            answers.setdefault(answer.prompt_id, []).append(answer)
    return [
        AskedQuestion(
            asked.text,
            len(answers[asked.id]),
            asked.id in others,
            _cited(answers[asked.id], host),
            others.get(asked.id, ()),
        )
        for asked in last_asked(weeks, active)
        if asked.id in answers
    ]


def _cited(answers: Iterable[Answer], host: str) -> frozenset[str] | None:
    """Return the keys of all cited pages. Returns None if an answer cites the website but it is unknown which page."""
    found: set[str] = set()
    for answer in answers:
        if answer.cited_us:
            ours = our_domain(host)
            if not any(is_ours(urlsplit(url).hostname or "", ours) for url in answer.cited):
                return None
        found.update(map(page_key, answer.cited))
    return frozenset(found)
