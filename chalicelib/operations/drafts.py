"""Makes drafts of descriptions with the operator's assistant. A person requests them for pages for which the service's
rules suggest no description.

Drafts are off until the operator turns them on and has reviewed 100 drafts of the same assistant (``draft_readings``).
A request counts towards the workspace's daily limit, and creates the website's drafting job (at most one at a time).
The worker ``workers.drafting`` runs it. No draft is written to a website automatically: a person copies it into the
field and approves it like any other value.
"""

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from chalicelib import clock
from chalicelib.connectors.assistants import drafting
from chalicelib.connectors.assistants.drafting import Assistant
from chalicelib.connectors.assistants.wire import ModelRefused
from chalicelib.connectors.errors import NotConnected
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.jobs import Job
from chalicelib.domain.page.text import fold
from chalicelib.domain.suggestion import Draft
from chalicelib.operations.contention import tries
from chalicelib.operations.errors import Refused, busy
from chalicelib.operations.issues import load
from chalicelib.operations.jobs import send_job
from chalicelib.operations.websites import existing
from chalicelib.settings.assistants import assistant_settings
from chalicelib.store import crawls, draft_readings, drafts, issues, jobs, kept_audits, pages
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import commit
from chalicelib.store.websites import Website

if TYPE_CHECKING:
    from chalicelib.rules.drafting import Question

JOB_ID: Final = "drafts"
MOST_AT_ONCE: Final = 10  # pages of a request: as many as the app's screen shows
MOST_A_DAY: Final = 1_000  # the most that the setting may allow
FIELD: Final = "meta_description"
NO_TEXT: Final = (
    "The page has too little text of its own, needs no description, or is in a language in which drafts cannot be "
    "checked."
)
_OFF: Final = "Drafts by an assistant are off on this service"


def why_off() -> str | None:
    """Return why this service makes no drafts, in a sentence. Returns None if it makes drafts.
    Reads the store only if the settings turn drafts on."""
    try:
        if drafts_a_day() == 0:
            return f"{_OFF}: DRAFTS_A_DAY is 0."
        name = drafting.chosen()
    except NotConnected as error:
        return f"{_OFF}: {error.message}"
    reading = draft_readings.load()
    if reading is None or reading.assistant != identity(name) or not reading.passed:
        return f"{_OFF}: 100 drafts of {name} have to be read first, with manage.py drafts draw and drafts read."
    return None


def identity(assistant: str) -> str:
    """Return the text that identifies the subject of a review: provider, model, and the version of the service's
    instructions and checks."""
    from chalicelib.rules.drafting import VERSION

    return f"{assistant} v{VERSION}"


def drafts_a_day() -> int:
    """Return how many drafts a workspace may request per day. Raises ``NotConnected`` if the setting is not a
    number."""
    given = assistant_settings().drafts_a_day.strip()
    if not given.isdecimal() or not given.isascii() or len(given) > 4 or int(given) > MOST_A_DAY:
        raise NotConnected(f"DRAFTS_A_DAY is {given[:20]!r}, but must be a whole number from 0 to {MOST_A_DAY}.")
    return int(given)


def request(actor: Actor, site_id: str, issue_id: str, page_ids: Sequence[str]) -> Job:
    """Queue drafts for pages of an issue about descriptions. Pages that have a suggestion or a draft are left out.

    Refused: ``not_found``, ``not_allowed``, ``drafts_off``, ``wrong_state``, ``audit_running``, ``too_many_pages``,
    ``nothing_to_draft``, ``already_running`` (other drafts of the website are being made), ``drafts_used``, ``busy``.
    """
    website = existing(actor, site_id, "work")
    _, issue = load(site_id, issue_id)
    off = why_off()
    if off is not None:
        raise Refused("drafts_off", off)
    if issue.status in ("resolved", "ignored") or not is_drafted(issue.rule_id):
        raise Refused("wrong_state", "Drafts are made for the pages of an open issue about descriptions.")
    if is_audited(website):
        raise Refused("audit_running", "An audit of the website is running. Ask again when it has ended.")
    if len(set(page_ids)) > MOST_AT_ONCE:
        raise Refused("too_many_pages", f"Drafts are made for at most {MOST_AT_ONCE} pages at once.")
    wanted = _without_value(website, issue, page_ids)
    if not wanted:
        raise Refused("nothing_to_draft", "Each of these pages has a suggestion or a draft, or is not listed any more.")
    limit, last = drafts_a_day(), last_job(site_id)
    for _ in tries():
        now = clock.now()
        day = f"{clock.utc(now):%Y-%m-%d}"
        taken = drafts.taken_of_day(website.workspace_id, day)
        if taken + len(wanted) > limit:
            raise Refused(
                "drafts_used",
                f"The workspace has used {taken} of the {limit} drafts of this day; {len(wanted)} more are too many. "
                "The next day begins at midnight UTC.",
            )
        job = _job(website, issue, wanted, now, 0 if last is None else last.fence)
        try:
            commit([jobs.put_new(job), drafts.room_taken(website.workspace_id, day, taken, len(wanted), now)])
        except Conflict as conflict:
            if jobs.JOB in conflict.failed:
                raise Refused("already_running", "Drafts for this website are being made. Wait for them.") from None
            continue
        send_job(job)
        return job
    raise busy("the drafts of this workspace")


def _job(website: Website, issue: Issue, page_ids: Sequence[str], now: float, fence: int) -> Job:
    """Make the job. ``fence``: the fence of the previous request's job, whose worker may still be running."""
    return Job(
        id=JOB_ID,
        kind="drafts",
        site_id=website.id,
        workspace_id=website.workspace_id,
        queued_at=now,
        due_at=now,
        fence=fence,
        payload={"issue": issue.id, "pages": list(page_ids), "asked": 0},
    )


def _without_value(website: Website, issue: Issue, page_ids: Sequence[str]) -> list[str]:
    stored = issues.load_pages(website.id, issue)
    listed = {page.page_id for page in stored.affected}
    suggested = {one.page_id for one in stored.suggestions if one.suggested is not None}
    drafted = {page_id for page_id, one in current(website, drafts.load(website.id)).items() if one.text is not None}
    return [one for one in dict.fromkeys(page_ids) if one in listed - suggested - drafted]


def is_drafted(rule_id: str) -> bool:
    """Whether drafts are made for the issues of a rule."""
    # The registry imports every rule, so only requests about drafts load it.
    from chalicelib.rules import registry

    rule = registry.BY_ID.get(rule_id)
    return rule is not None and rule.writable_field == FIELD


def is_audited(website: Website) -> bool:
    """Whether an audit of the website is queued or running."""
    return website.place is not None and website.place.kind == "audit"


def last_job(site_id: str) -> Job | None:
    """Return the job of the website's last request for drafts, whether or not it has ended. If the job ended early, its
    ``error`` says why. One round trip."""
    return jobs.get(site_id, JOB_ID)


def current(website: Website, found: Mapping[str, Draft]) -> dict[str, Draft]:
    """Return those drafts whose pages have not changed since the drafts were made. One round trip for the page list,
    and one per block with facts of pages that were read again since."""
    if not found or website.summary is None:
        return {}
    from chalicelib.rules.drafting import digest_of

    generation = website.summary.generation
    rows = pages.load_rows(website.id, generation.crawl_id, generation.partitions, found)
    again: dict[tuple[str, int], set[str]] = defaultdict(set)
    kept: dict[str, Draft] = {}
    for page_id, row in rows.items():
        if row.facts_crawl is None:
            continue
        if found[page_id].place == place_of(row.facts_crawl, row.facts_block):
            kept[page_id] = found[page_id]
        else:
            again[row.facts_crawl, row.facts_block].add(page_id)
    for (crawl_id, number), page_ids in again.items():
        facts_of = {facts.url: facts for facts in crawls.load_facts_block(crawl_id, number)}
        for page_id in page_ids:
            facts = facts_of.get(rows[page_id].url)
            if facts is not None and digest_of(facts) == found[page_id].digest:
                kept[page_id] = found[page_id]
    return kept


def place_of(crawl_id: str, number: int) -> str:
    """Return the text with which a draft names the stored block that has its page's facts."""
    return f"{crawl_id}#{number}"


class Page(NamedTuple):
    """A page that gets a draft. ``question``: the question to the assistant. None if the page has too little text, or
    is of a kind that gets no draft. Stored with the draft: ``digest``, a hash of the page's words, and ``place``, where
    its facts are stored."""

    id: str
    url: str
    digest: str
    place: str
    question: "Question | None"


def page_of(website: Website, page_id: str) -> Page | None:
    """Load a page of the website as it was last read. Returns None if it was never read. Two round trips."""
    from chalicelib.rules.drafting import digest_of, question_about

    if website.summary is None:
        return None
    generation = website.summary.generation
    row = pages.load_row(website.id, generation.crawl_id, generation.partitions, page_id)
    if row is None or row.facts_crawl is None:
        return None
    block = crawls.load_facts_block(row.facts_crawl, row.facts_block)
    facts = next((one for one in block if one.url == row.url), None)
    if facts is None:
        return None
    place = place_of(row.facts_crawl, row.facts_block)
    return Page(page_id, row.url, digest_of(facts), place, question_about(facts, block))


def descriptions_of(website: Website, asked: Container[str] = ()) -> set[str] | None:
    """Return the descriptions that the website's pages have or would get from suggestions and drafts. For comparisons,
    they are in lower case and with single spaces. Returns None if the last audit's pages are not stored any more.
    ``asked``: ids of pages that get new drafts. Their stored drafts are left out."""
    book = issues.load_state(website.id)
    if website.summary is None or book is None:
        return None
    audits = kept_audits.load(website.id, [website.summary.generation.crawl_id])
    (known,) = kept_audits.load_pages(website.id, list(audits.values())) or [None]
    if known is None:
        return None
    texts = [page.description for page in known]
    texts += [one.text for page_id, one in drafts.load(website.id).items() if page_id not in asked]
    for issue in book.issues:
        if is_drafted(issue.rule_id):
            texts += [one.suggested for one in issues.load_suggested(website.id, issue)]
    return {fold(text) for text in texts if text}


def draft_of(page: Page, assistant: Assistant, taken: Container[str]) -> Draft:
    """Ask the assistant for a draft of the page's description. Makes at most one request, which is never repeated. If
    there is no draft, for example because the assistant declines, the result has a note that says why.

    ``taken``: the result of ``descriptions_of``; the draft must differ from all of them. Raises the assistant's errors.
    """
    now, by = clock.now(), f"{assistant.provider} {assistant.model}"
    draft = Draft(by=by, at=now, digest=page.digest, place=page.place)
    if page.question is None:
        return replace(draft, note=NO_TEXT)
    try:
        answer = assistant.draft(page.question.prompt, instructions=page.question.instructions)
    except ModelRefused as error:
        return replace(draft, note=error.message)
    found = page.question.judged(answer.text, taken.__contains__)
    by = f"{answer.provider} {answer.model}"
    return replace(draft, text=found.text, note=found.note, rests_on=found.rests_on, by=by)
