"""Computes keyword tasks: recommendations for pages from search data and from answers of assistants.

Trigger: a job of the queue ``imports``. It starts when an import of search data ends, when the answers of assistants
for a week are stored, and when search data is disconnected. After a disconnection, tasks based on search data are
resolved. Tasks based on data that is not stored yet stay unchanged.

Failure policy
- Killed before the transaction that publishes the tasks: nothing refers to the stored pages and suggestions. The next
  worker stores them again under another name, and then marks the replaced blocks for expiry.
- Killed after that transaction: the tasks are stored among the website's issues, and the job has ended.
- Somebody changes the website's issues meanwhile: the tasks are merged again with the current issues.
- Without an audit there is nothing to judge: the next import starts the job again.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from chalicelib import clock
from chalicelib.domain.search.addresses import page_key
from chalicelib.domain.search.periods import LAG_DAYS, ending
from chalicelib.domain.visibility.calendar import weeks_back
from chalicelib.operations.search import asking
from chalicelib.rules.kw.checks import OF_ANSWERS, OF_SEARCH
from chalicelib.rules.kw.model import AskedQuestion, SearchData
from chalicelib.rules.kw.questions import asked_questions
from chalicelib.store import issues, visibility, websites
from chalicelib.store.websites import Website
from chalicelib.workers.jobs import JobLease
from chalicelib.workers.keywords.crawled import crawled
from chalicelib.workers.keywords.publishing import left_over, publish
from chalicelib.workers.keywords.searched import DAYS, Searched, data_of, searched, vocabulary_of

WEEKS: Final = 4  # weeks of answers, as many as the list of gaps shows
GONE: Final = "The website is gone."
NO_AUDIT: Final = "No audit has published pages yet."
STOPPED: Final = "The service was interrupted at this step several times."


def run(lease: JobLease) -> None:
    """Do the job. Raises ``FenceLost``."""
    job = lease.job
    website = websites.get(job.workspace_id, job.site_id)
    if website is None:
        lease.commit(job.done(clock.now(), GONE), [])
        return
    book = issues.load_state(website.id)
    if website.summary is None or book is None:
        lease.commit(job.done(clock.now(), NO_AUDIT), [])
        return
    found, questions = _searched(website), _questions(website)
    checks = {**({} if found is None else OF_SEARCH), **({} if questions is None else OF_ANSWERS)}
    withdrawn = left_over(book, OF_SEARCH) if website.connections.search is None else []
    if not checks and not withdrawn:
        lease.commit(job.done(clock.now()), [])
        return
    lease.keep()
    queried = set() if found is None else {page_key(pair.url) for pair in found.pairs}
    pages = crawled(website, book, queried, headings_of_all=bool(questions))
    if found is not None:
        data = data_of(website, pages, found, questions or ())
    else:
        period = ending(clock.utc(clock.now()).date() - timedelta(LAG_DAYS), DAYS)
        data = SearchData(
            period=period, known=pages.known, vocabulary=vocabulary_of(website, pages), questions=questions or ()
        )
    lease.keep()
    publish(lease, website, checks, data, pages, lambda at: lease.job.done(at), withdrawn=withdrawn)


def give_up(lease: JobLease) -> None:
    """End the job, because its workers died too often. Raises ``FenceLost``."""
    lease.commit(lease.job.done(clock.now(), STOPPED), [])


def _searched(website: Website) -> Searched | None:
    if website.connections.search is None:
        return None
    return asking(website.id, ("page", "pairs", "totals"), lambda manifests: searched(website, manifests))


def _questions(website: Website) -> Sequence[AskedQuestion] | None:
    """Return the active prompts that were answered in the last weeks.
    Returns None if there are prompts, but no stored week with results."""
    shown = visibility.load_weeks(website.id, weeks_back(clock.now(), WEEKS))
    active = {prompt.id for prompt in shown.book.active}
    if active and not shown.weeks:
        return None
    return asked_questions(shown.weeks, active, website.host)
