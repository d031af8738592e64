"""The worker of the queues ``sampling`` and ``sampling-slow``: sends a website's prompts to AI assistants once a week.
It also requests drafts of descriptions (``drafting``).

Trigger: a message {siteId, jobId, kind}, sent by the sweeper on Mondays, 03:00 UTC, or when a person requests it. Each
website has one job. It sends every active prompt to every provider with a key, four at once. It stores each answer as
it arrives, repeats failed prompts once at the end, and then evaluates all of the week's answers.

Failure policy
- One transaction stores the pairs of a prompt and a provider that are to be asked, and counts them towards the
  workspace's weekly limit. So each pair counts once, and no prompt is sent beyond the limit.
- Each pair's row is written before its prompt is sent. If the worker is killed in between, the next worker counts the
  pair as failed. The prompt is sent once more at the end, and never a third time.
- Killed after the answer came and before it was stored: the answer is lost. The pair counts as failed, and its prompt
  is sent once more, as above. This does not count towards the limit again.
- Two workers at once: each pair's row counts how often its prompt was sent, and a write succeeds only if the count has
  not changed.
- Killed before the week's results are written: no prompt is sent again, and the next worker writes the same results.
  The transaction that writes them also starts the job that judges this week's keyword task.
- A provider refuses the key, or accepts no more requests: it gets no more prompts in this sampling. Prompts that were
  never sent to it count as not asked, instead of failed.
- If worker after worker fails to finish the job, the week's results are computed from the existing answers.
- The website no longer exists: the job ends.
- Concurrency slots, and fast and slow queues: see ``jobs``. Answers cost money and are never thrown away. So a worker
  sends prompts until its time is over, even if answers are slow. Then the sampling continues in the slow queue.
"""

import logging
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any, Final, NamedTuple

import msgspec

from chalicelib import clock, metrics, typed
from chalicelib.connectors.assistants.sampling import Answering
from chalicelib.connectors.assistants.wire import ANSWER_SECONDS, ModelRefused
from chalicelib.connectors.errors import NoAccess, NotConnected, OutsideError, Quota
from chalicelib.domain.jobs import STALLED_TAKEOVERS, Job
from chalicelib.domain.visibility.calendar import next_sampling, week_of
from chalicelib.domain.visibility.citations import MOST_CITED
from chalicelib.domain.visibility.names import Names
from chalicelib.domain.visibility.prompts import Prompt, place_of
from chalicelib.domain.visibility.samples import Outcome, Sample, week_of_samples
from chalicelib.net.failures import OwnFailure
from chalicelib.operations import keyword_tasks
from chalicelib.operations.jobs import send_job
from chalicelib.operations.sampling import Pair, assistants_of, pairs_of, plan
from chalicelib.store import readiness, visibility, websites
from chalicelib.store.blocks import TooLargeToPack
from chalicelib.store.errors import Conflict
from chalicelib.store.lanes import LANES, Lane
from chalicelib.store.transactions import Write
from chalicelib.store.websites import Website
from chalicelib.workers import drafting
from chalicelib.workers.jobs import JobLease, at_work, take

AT_ONCE: Final = 4  # concurrent questions to all assistants together
SLICE_SECONDS: Final = 150.0  # seconds of one worker, plus the time of the answers still awaited
TRIES: Final = 2  # tries of a pair: the second is at the end
ROOM_TRIES: Final = 10
END_TRIES: Final = 5
LONGEST_TEXT: Final = 30_000  # characters of an answer that are stored
LONGEST_ERROR: Final = 300
LONGEST_WAIT: Final = 1_800.0  # how long to wait at the end for a provider that says when it takes requests again
SHORTEST_WAIT: Final = 60.0
KEYS_SECONDS: Final = 3_600.0  # until the keys are loaded again
_POLL_SECONDS: Final = 5.0

GONE: Final = "The website is gone."
STALLED: Final = "The service was interrupted several times. The week has the answers received until then."
NO_KEYS: Final = "There is no key for any assistant."

_log = logging.getLogger(__name__)


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A running sampling, as its job stores it.

    - ``closed``: providers that get no more requests, each with the reason.
    - ``last``: whether failed pairs are being repeated.
    """

    week: str
    pairs: list[Pair]
    last: bool = False
    closed: dict[str, str] = {}


def handle(message: Mapping[str, Any], context: object) -> None:
    """Do the job that the message names. Does nothing if the job needs no work now."""
    _handle(message, LANES["sampling"])


def handle_slow(message: Mapping[str, Any], context: object) -> None:
    """Do the job that the message names. Used for the slow queue, which has the work of websites whose questions are
    not answered in time."""
    _handle(message, LANES["sampling-slow"])


def _handle(message: Mapping[str, Any], lane: Lane) -> None:
    lease = take(message, lane)
    if lease is None:
        return
    if lease.job.kind == "drafts":
        with at_work(lease):
            (drafting.give_up if lease.job.stalled > STALLED_TAKEOVERS else drafting.run)(lease)
        return
    website = websites.get(lease.job.workspace_id, lease.job.site_id)
    with at_work(lease):
        if website is None:
            lease.commit(lease.job.done(clock.now(), GONE), [])
        elif lease.job.stalled > STALLED_TAKEOVERS:
            _log.error("a sampling failed too often", extra={"siteId": website.id})
            _finish(lease, website, _run_of(lease), [], STALLED)
        else:
            _go_on(lease, website)


def _go_on(lease: JobLease, website: Website) -> None:
    try:
        assistants = assistants_of(website.workspace_id)
    except NotConnected as error:
        _finish(lease, website, _run_of(lease), [], error.message)
        return
    except Exception:
        _log.exception("keys of assistants cannot be read", extra={"siteId": website.id})
        lease.commit(lease.job.goes_on(clock.now() + KEYS_SECONDS), [])
        return
    run = _run_of(lease)
    if run is None:
        if website.status == "paused":
            lease.commit(lease.job.goes_on(next_sampling(clock.now()), run=None), [])
            return
        try:
            run = _begin(lease, website, assistants)
        except NotConnected as error:
            _finish(lease, website, None, [], error.message)
            return
    Sampling(lease, website, assistants, run).go_on()


def _run_of(lease: JobLease) -> Run | None:
    stored = lease.job.payload.get("run")
    return None if stored is None else typed.convert(stored, Run)


def _begin(lease: JobLease, website: Website, assistants: list[Answering]) -> Run:
    """Count the questions towards the workspace's weekly limit, and store which questions to ask. Raises
    ``NotConnected`` and ``FenceLost``."""
    for _ in range(ROOM_TRIES):
        now = clock.now()
        planned = plan(website, visibility.load_prompts(website.id), assistants, now)
        run = Run(week=planned.week, pairs=planned.pairs)
        room = visibility.room_taken(website.workspace_id, planned.week, planned.taken, len(planned.pairs), now)
        try:
            lease.checkpoint([room] if planned.pairs else [], run=msgspec.to_builtins(run))
        except Conflict:
            continue
        return run
    raise NotConnected("Other websites of the workspace are sampled at the same moment; try again.")


class _Asking(NamedTuple):
    """The data that is needed to ask one question."""

    workspace_id: str
    site_id: str
    week: str
    prompt: Prompt
    assistant: Answering
    attempts: int


class _Failure(NamedTuple):
    """A question that got no answer, and the error."""

    provider: str
    error: OutsideError


class Sampling:
    """A sampling that a worker has claimed."""

    def __init__(self, lease: JobLease, website: Website, assistants: list[Answering], run: Run) -> None:
        self._lease = lease
        self._website = website
        self._assistants = {assistant.provider: assistant for assistant in assistants}
        self._run = run
        self._prompts = {prompt.id: prompt for prompt in visibility.load_prompts(website.id).active}
        self._retry_after = 0.0

    def go_on(self) -> None:
        """Ask as many questions as the time allows. Raises ``FenceLost``."""
        until = clock.monotonic() + SLICE_SECONDS
        while True:
            done = self._ask_all(until)
            if not done:
                self._later(0.0, self._run)
                return
            if self._run.last:
                _finish(self._lease, self._website, self._run, list(self._assistants.values()), self._trouble())
                return
            # Repeat failed pairs once. If a provider took no more requests, wait before that.
            waiting = self._run.closed and self._left(last=True)
            again = msgspec.structs.replace(self._run, last=True, closed={})
            if waiting:
                self._later(min(max(self._retry_after, SHORTEST_WAIT), LONGEST_WAIT), again)
                return
            self._run = again

    def _left(self, *, last: bool) -> list[tuple[Pair, int]]:
        """Return the pairs still to ask, each with the number of its next try."""
        samples = {
            (sample.prompt_id, sample.provider): sample
            for sample in visibility.load_samples(self._website.id, self._run.week)
        }
        left = []
        for pair in self._run.pairs:
            prompt_id, provider = pair
            if prompt_id not in self._prompts or provider not in self._assistants:
                continue
            sample = samples.get(pair)
            if sample is None:
                left.append((pair, 1))
            elif last and sample.outcome in ("asked", "failed") and sample.attempts < TRIES:
                left.append((pair, sample.attempts + 1))
        return left

    def _ask_all(self, until: float) -> bool:
        """Ask the remaining pairs, four at once. Returns False if the time ends before that."""
        left = deque(self._left(last=self._run.last))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            under_way: set[Future[_Failure | None]] = set()
            try:
                while left or under_way:
                    while left and len(under_way) < AT_ONCE and clock.monotonic() < until:
                        pair, attempts = left.popleft()
                        if pair[1] not in self._run.closed:
                            under_way.add(pool.submit(_ask, self._asking(pair, attempts)))
                    if not under_way:
                        break
                    done, under_way = wait(under_way, _POLL_SECONDS, FIRST_COMPLETED)
                    for future in done:
                        self._note(future.result())
                        self._lease.answered()
                    self._lease.keep()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return not left

    def _asking(self, pair: Pair, attempts: int) -> _Asking:
        prompt_id, provider = pair
        return _Asking(
            self._website.workspace_id,
            self._website.id,
            self._run.week,
            self._prompts[prompt_id],
            self._assistants[provider],
            attempts,
        )

    def _note(self, failure: _Failure | None) -> None:
        """Send the provider of a failure no more prompts, if it refused the key or takes no more requests."""
        if failure is not None and isinstance(failure.error, NoAccess | Quota):
            closed = {**self._run.closed, failure.provider: failure.error.message[:LONGEST_ERROR]}
            self._run = msgspec.structs.replace(self._run, closed=closed)
            self._retry_after = max(self._retry_after, failure.error.retry_after or 0.0)

    def _trouble(self) -> str | None:
        return " ".join(self._run.closed.values())[:LONGEST_ERROR] or None

    def _later(self, seconds: float, run: Run) -> None:
        self._lease.hand_over(seconds, run=msgspec.to_builtins(run))


def _ask(asking: _Asking) -> _Failure | None:
    """Ask one question and store the result. Returns the failure. Returns None if the question was answered, or if
    another worker asks it."""
    sample = Sample(
        prompt_id=asking.prompt.id,
        prompt=asking.prompt.text,
        locale=asking.prompt.locale,
        provider=asking.assistant.provider,
        attempts=asking.attempts,
        outcome="asked",
        at=clock.now(),
    )
    if not visibility.put_asked(asking.site_id, asking.week, sample):
        return None
    failure: OutsideError | None = None
    outcome: Outcome = "failed"
    try:
        answer = asking.assistant.ask(sample.prompt, place_of(sample.locale), seconds=ANSWER_SECONDS)
    except OutsideError as error:
        outcome = "refused" if isinstance(error, ModelRefused) else "failed"
        failure = error
        sample = msgspec.structs.replace(sample, error=error.message[:LONGEST_ERROR])
    except OwnFailure:  # says nothing about the assistant: another worker continues the job
        raise
    except Exception:
        # One unreadable answer must not affect the others.
        _log.exception("an answer could not be read", extra={"siteId": asking.site_id, "provider": sample.provider})
        sample = msgspec.structs.replace(sample, error="The answer could not be read.")
    else:
        outcome = "answered" if answer.searched else "unsearched"
        sample = msgspec.structs.replace(
            sample,
            model=answer.model[:100],
            text=answer.text[:LONGEST_TEXT],
            citations=answer.citations[:MOST_CITED],
        )
    stored = msgspec.structs.replace(sample, outcome=outcome, at=clock.now())
    visibility.put_answered(asking.site_id, asking.week, stored)
    metrics.use("answers", asking.workspace_id, int(outcome != "failed"))
    return None if failure is None else _Failure(sample.provider, failure)


def _finish(lease: JobLease, website: Website, run: Run | None, assistants: list[Answering], error: str | None) -> None:
    """Store the evaluation of the week, and schedule the job for the next Monday. Raises ``FenceLost``."""
    now = clock.now()
    week = week_of(now) if run is None else run.week
    samples = visibility.load_samples(website.id, week)
    prompts = visibility.load_prompts(website.id).active
    active = {prompt.id for prompt in prompts}
    # Including pairs of an assistant whose key is gone by now.
    begun = () if run is None else (pair for pair in run.pairs if pair[0] in active)
    wanted = {*pairs_of(prompts, assistants), *begun}
    known = {(sample.prompt_id, sample.provider) for sample in samples}
    found = week_of_samples(
        week, samples, _names(website), website.host, left_out=sum(pair not in known for pair in wanted)
    )
    try:
        writes = visibility.put_week(website.id, found, now) if samples else []
    except TooLargeToPack as reason:
        _log.error("the answers of a week cannot be stored", extra={"siteId": website.id, "of": str(reason)})
        writes = []
    if error is None and not assistants:
        error = NO_KEYS
    _end(lease, lease.job.goes_on(next_sampling(now), error=error, run=None), writes)


def _end(lease: JobLease, ended: Job, writes: Sequence[Write]) -> None:
    """Commit the sampling's end. If the week's results are written, the job of the keyword task starts too. Raises
    ``FenceLost``, and ``Conflict`` if every try met a conflict."""
    if not writes:
        lease.commit(ended, [])
        return
    for attempt in range(1, END_TRIES + 1):
        tasks, begins = keyword_tasks.begin(ended.site_id, ended.workspace_id, clock.now())
        try:
            lease.commit(ended, [*writes, begins])
        except Conflict:
            if attempt == END_TRIES:
                raise
            continue
        send_job(tasks)
        return


def _names(website: Website) -> Names:
    """Return the website's names: its own, its aliases, and the organization named on its home page."""
    return Names.of(website.host, _given_names(website))


def _given_names(website: Website) -> Iterator[str]:
    yield website.name
    yield from website.aliases
    known = readiness.load(website.id)
    if known is not None and known.entity is not None and known.entity.organization_name:
        yield known.entity.organization_name[:100]
