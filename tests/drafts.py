"""A website whose pages lack a description that rules could find, and a passed reading, for tests of drafts."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from chalicelib import clock
from chalicelib.connectors.assistants import drafting
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.audit.issues import Issue
from chalicelib.domain.draft_readings import READ_DRAFTS, Reading
from chalicelib.domain.jobs import Job
from chalicelib.domain.suggestion import Draft
from chalicelib.operations import drafts
from chalicelib.operations.drafts import identity
from chalicelib.settings.reading import forget_settings
from chalicelib.store import draft_readings, issues, jobs, websites
from chalicelib.store import drafts as stored
from chalicelib.store.websites import Website
from chalicelib.workers import sampling, sweeper
from chalicelib.workers.jobs import LEASE_SECONDS
from local.standins.assistants import Assistants
from tests import aws
from tests.servers.wire import WireServer
from tests.workers.audit.websites import Site, audit, html, new_website

RULE = "SEO-ONP-010"
KINDS = ("Leather", "Canvas", "Winter", "Trail", "City")
# For rules it leans upon something else; the stand-in takes it as a draft.
SENTENCE = "It takes two days in the workshop until {kind} soles are glued, pressed, dried and sewn by hand."
SECOND = "Please ring us before you come, because the workshop is closed while the {kind} leather dries."


def page(kind: str, *links: str, sentence: str = SENTENCE) -> str:
    text = "".join(f"<p>{one.format(kind=kind.lower())}</p>" for one in (sentence, SECOND))
    return html(f"{kind} boots", *links, body=f"<main>{text}</main>")


def pages(count: int = len(KINDS)) -> dict[str, str]:
    paths = [f"/{kind.lower()}" for kind in KINDS[:count]]
    home = html("Acme", *paths, head='<meta name="description" content="Acme repairs boots of all kinds.">')
    return {"/": home, **{path: page(kind, "/") for path, kind in zip(paths, KINDS, strict=False)}}


def text_of(kind: str) -> str:
    return SENTENCE.format(kind=kind.lower())


class Drafted(NamedTuple):
    """An audited website, its server, and the assistant."""

    website: Website
    site: Site
    standin: Assistants

    @property
    def issue(self) -> Issue:
        book = issues.load_state(self.website.id)
        assert book is not None
        return next(issue for issue in book.issues if issue.rule_id == RULE)

    def now(self) -> Website:
        found = websites.get(self.website.workspace_id, self.website.id)
        assert found is not None
        return found

    def page_ids(self, count: int = len(KINDS)) -> list[str]:
        """Of the pages without a description, in the order of their addresses."""
        return [page.page_id for page in issues.load_affected(self.website.id, self.issue)][:count]

    def request(self, *page_ids: str) -> Job:
        return drafts.request(OPERATOR, self.website.id, self.issue.id, page_ids or self.page_ids())

    def job(self) -> Job:
        job = jobs.get(self.website.id, drafts.JOB_ID)
        assert job is not None
        return job

    def work(self) -> None:
        """Hand the job to a worker."""
        aws.purge("sampling")
        sampling.handle({"siteId": self.website.id, "jobId": drafts.JOB_ID}, None)

    def until_free(self) -> None:
        """Go on until no lease is left of a worker that was killed."""
        clock.set_offset(clock.offset() + LEASE_SECONDS + 1)

    def until_done(self) -> None:
        """Work until the job has ended, with the sweeper's help where a message is lost."""
        for _ in range(40):
            if self.job().ended:
                return
            clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
            sweeper.run()
            waiting = aws.messages("sampling")
            aws.purge("sampling")
            for message in waiting:
                sampling.handle(message, None)
        raise AssertionError("the drafts do not end")

    def shown(self) -> list[Draft]:
        """The drafts of pages that have not changed since, in the order of their addresses."""
        found = drafts.current(self.now(), stored.load(self.website.id))
        return [found[page_id] for page_id in self.page_ids() if page_id in found]


def passed(assistant: str | None = None) -> Reading:
    """A reading of 100 good drafts of the assistant that is connected."""
    of = identity(assistant or drafting.chosen())
    reading = Reading(assistant=of, seed="1", at=clock.now(), drafts=READ_DRAFTS, marks={"good": READ_DRAFTS})
    draft_readings.put(reading)
    return reading


def switch_on(monkeypatch: pytest.MonkeyPatch, standin: Assistants, a_day: int = 50) -> None:
    """Connect the stand-in, and let workspaces ask for drafts."""
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.setenv("DRAFTS_A_DAY", str(a_day))
    monkeypatch.delenv("ASSISTANT_MODEL", raising=False)
    for name, value in standin.settings({}).items():
        monkeypatch.setenv(name, value)
    standin.misbehave("none")
    standin.exchanges.clear()
    forget_settings()


@contextmanager
def drafted(monkeypatch: pytest.MonkeyPatch, standin: Assistants, count: int = len(KINDS)) -> Iterator[Drafted]:
    """The audited website, where drafts are on and were read."""
    switch_on(monkeypatch, standin)
    site = Site(pages(count))
    with WireServer(site) as server:
        website = new_website(server)
        audit(website)
        passed()
        try:
            yield Drafted(website, site, standin)
        finally:
            monkeypatch.undo()
            forget_settings()
