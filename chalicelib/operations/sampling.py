"""Estimates the questions and costs of a sampling, and starts one now."""

from collections.abc import Iterable
from typing import Final, NamedTuple

from chalicelib import clock
from chalicelib.connectors.assistants import sampling
from chalicelib.connectors.assistants.sampling import Answering
from chalicelib.connectors.errors import NotConnected
from chalicelib.domain.accounts.rights import Actor
from chalicelib.domain.visibility.calendar import week_of
from chalicelib.domain.visibility.costs import cost_of_answer, prices
from chalicelib.domain.visibility.prompts import Prompt
from chalicelib.operations import assistant_keys
from chalicelib.operations.errors import Refused
from chalicelib.operations.jobs import send_job
from chalicelib.operations.prompts import JOB_ID, sampling_job
from chalicelib.operations.websites import existing
from chalicelib.settings.assistants import assistant_settings
from chalicelib.store import jobs, visibility
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import commit
from chalicelib.store.visibility import PromptBook
from chalicelib.store.websites import Website

MOST_ANSWERS: Final = 1_000  # the most that the setting may allow a workspace in a week

Pair = tuple[str, str]  # prompt id, provider


class Plan(NamedTuple):
    """The questions of a sampling that would start now.

    - ``pairs``: the prompts to ask, each with the assistant to ask, in order. Pairs beyond the workspace's limit of the
      week are left out.
    - ``wanted``: how many pairs of the website were not asked yet this week, even those beyond the limit.
    - ``taken``: how many answers the workspace has requested this week.
    - ``limit``: how many answers the workspace may request in a week.
    """

    week: str
    assistants: list[Answering]
    pairs: list[Pair]
    wanted: int
    taken: int
    limit: int


class Cost(NamedTuple):
    """The cost of one provider's answers. ``cost``: in the currency of the provider's prices; None if the price is not
    known."""

    provider: str
    model: str
    answers: int
    cost: float | None


def assistants_of(workspace_id: str) -> list[Answering]:
    """Return the assistants that answer the prompts of a workspace's websites. Raises ``NotConnected`` for an invalid
    setting, and botocore's errors."""
    return sampling.answering(assistant_keys.revealed(workspace_id))


def plan(website: Website, book: PromptBook, assistants: list[Answering], now: float) -> Plan:
    """Plan a sampling of a website that would start now. Raises ``NotConnected`` for an invalid setting."""
    week = week_of(now)
    known = {(sample.prompt_id, sample.provider) for sample in visibility.load_samples(website.id, week)}
    wanted = [pair for pair in pairs_of(book.active, assistants) if pair not in known]
    taken, limit = visibility.answers_of_week(website.workspace_id, week), answers_a_week()
    return Plan(week, assistants, wanted[: max(limit - taken, 0)], len(wanted), taken, limit)


def pairs_of(prompts: Iterable[Prompt], assistants: Iterable[Answering]) -> list[Pair]:
    """Pair every prompt with every assistant, in the order of the prompts. So if a limit cuts the list, every assistant
    still gets the first prompts."""
    asked = list(assistants)
    return [(prompt.id, assistant.provider) for prompt in prompts for assistant in asked]


def answers_a_week() -> int:
    """Return how many answers a workspace may request per week. Raises ``NotConnected`` if the setting is not a
    number."""
    given = assistant_settings().sampling_answers.strip()
    if not given.isdecimal() or not given.isascii() or int(given) > MOST_ANSWERS:
        raise NotConnected(f"SAMPLING_ANSWERS is {given[:20]!r}, but must be a whole number from 0 to {MOST_ANSWERS}.")
    return int(given)


class Estimate(NamedTuple):
    """The questions of a sampling that would start now, and their cost. ``total``: the whole cost; None if a price is
    not known.
    """

    plan: Plan
    costs: list[Cost]

    @property
    def total(self) -> float | None:
        known = [cost.cost for cost in self.costs if cost.cost is not None]
        return sum(known) if len(known) == len(self.costs) else None

    @property
    def currency(self) -> str:
        return prices().currency


def estimate(actor: Actor, site_id: str) -> Estimate:
    """Estimate the questions and the cost of a sampling that would start now. Costs are computed from the providers'
    published prices. No assistant is asked.

    Refused: ``not_found``, ``not_allowed``, ``no_prompts``, ``not_connected``, ``paused``.
    """
    website = existing(actor, site_id, "work")
    if website.status == "paused":
        raise Refused("paused", "The website is paused; resume it first.")
    book = visibility.load_prompts(site_id)
    if not book.active:
        raise Refused("no_prompts", "The website has no active prompt; add one first.")
    try:
        assistants = assistants_of(website.workspace_id)
        planned = plan(website, book, assistants, clock.now())
    except NotConnected as error:
        raise Refused(error.code, error.message) from None
    if not assistants:
        raise Refused(
            "not_connected",
            "There is no key for any assistant: set OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY or "
            "PERPLEXITY_API_KEY, or give the workspace its own key (connections set-workspace).",
        )
    costs = []
    for assistant in assistants:
        answers = sum(provider == assistant.provider for _, provider in planned.pairs)
        each = cost_of_answer(assistant.provider, assistant.model)
        costs.append(Cost(assistant.provider, assistant.model, answers, None if each is None else each * answers))
    return Estimate(planned, costs)


def run(actor: Actor, site_id: str) -> Estimate:
    """Start a sampling of the website now, and return its estimate. No assistant is asked a question twice in a week.

    Refused: the codes of ``estimate``, and ``already_running``, ``nothing_to_ask``.
    """
    planned = estimate(actor, site_id)
    if not planned.plan.pairs:
        raise Refused("nothing_to_ask", _why_nothing(planned.plan))
    website, now = existing(actor, site_id, "work"), clock.now()
    job = jobs.get(site_id, JOB_ID)
    try:
        if job is None or job.ended:
            commit([jobs.put_new(sampling_job(website, now, now))])
        else:
            commit([jobs.due_earlier(site_id, JOB_ID, now)])
    except Conflict:
        raise Refused("already_running", "A sampling of this website is running. Wait until it has ended.") from None
    send_job(sampling_job(website, now, now))
    return planned


def _why_nothing(plan: Plan) -> str:
    if plan.wanted:
        return f"The workspace has asked for {plan.taken} answers this week; the limit is {plan.limit}."
    return f"All prompts were asked in {plan.week}; the next sampling is on Monday, 03:00 UTC."
