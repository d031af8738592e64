"""Keyword tasks: what search data, and what assistants answered, say is to do about which page.

Trigger: a job of the queue ``imports``, which begins when an import of search data has come to its end, when a week of
answers is written, and when search data were disconnected: then what followed from them is resolved. Tasks that follow
from data of which none is stored yet stay as they are.

Failure policy
- Killed before the transaction: pages and suggestions lie under a name that nothing points at, and the next worker
  writes them again under another; the blocks of those that were replaced are marked for expiry after it.
- Killed after it: the tasks stand in the book, and the job has ended.
- Somebody changes the website's issues meanwhile: the tasks are merged again with what is there then.
- Without an audit there is nothing to judge: the next import begins it again.
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

WEEKS: Final = 4  # of answers, as the list of gaps shows them
GONE: Final = "The website is gone."
NO_AUDIT: Final = "No audit has published pages yet."
STOPPED: Final = "The service was stopped at it again and again."


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
    """End a job at which workers were killed too often. Raises ``FenceLost``."""
    lease.commit(lease.job.done(clock.now(), STOPPED), [])


def _searched(website: Website) -> Searched | None:
    if website.connections.search is None:
        return None
    return asking(website.id, ("page", "pairs", "totals"), lambda manifests: searched(website, manifests))


def _questions(website: Website) -> Sequence[AskedQuestion] | None:
    """The active prompts that were answered in the last weeks; None where there are some to be asked, and no week is
    stored that says what came of it."""
    shown = visibility.load_weeks(website.id, weeks_back(clock.now(), WEEKS))
    active = {prompt.id for prompt in shown.book.active}
    if active and not shown.weeks:
        return None
    return asked_questions(shown.weeks, active, website.host)
