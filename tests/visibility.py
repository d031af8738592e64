"""A website with prompts and the stand-in for assistants, for tests of AI visibility."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from bench.week import place_week
from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.jobs import Job
from chalicelib.domain.visibility.calendar import week_of
from chalicelib.domain.visibility.models import PROVIDERS
from chalicelib.domain.visibility.samples import Sample, Week
from chalicelib.operations import accounts, prompts, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import jobs, visibility
from chalicelib.workers import sampling, sweeper
from chalicelib.workers.jobs import LEASE_SECONDS
from local.standins.assistants import KEY, Assistants
from local.standins.searching import BRANDS, Brand
from tests import aws

WEDNESDAY = 1_795_608_000.0  # 2026-11-25, noon UTC
OWN = Brand("Acme", ("https://shop.example/boots", "https://shop.example/tents"))


class Sampled(NamedTuple):
    """``standin``: what is asked in place of every provider."""

    standin: Assistants
    workspace_id: str
    site_id: str

    def add(self, *texts: str) -> list[str]:
        return [prompts.add(OPERATOR, self.site_id, text).id for text in texts]

    def job(self) -> Job:
        job = jobs.get(self.site_id, prompts.JOB_ID)
        assert job is not None
        return job

    def work(self) -> None:
        """Hand the job to a worker."""
        aws.purge("sampling")
        sampling.handle({"siteId": self.site_id, "jobId": prompts.JOB_ID}, None)

    def until_done(self) -> None:
        """Work until the job waits for the next week, with the sweeper's help where a message is lost."""
        for _ in range(40):
            job = self.job()
            if job.payload.get("run") is None and job.lease_until == 0 and job.due_at > clock.now():
                return
            waiting = aws.messages("sampling")
            aws.purge("sampling")
            due = job.due_at <= clock.now() and job.lease_until <= clock.now()
            if not (waiting and due):
                clock.set_offset(clock.offset() + LEASE_SECONDS + 1)
                sweeper.run()
                waiting = aws.messages("sampling")
                aws.purge("sampling")
            for message in waiting:
                sampling.handle(message, None)
        raise AssertionError("the sampling does not end")

    def next_week(self) -> None:
        """Go to the job's time, and have it done."""
        clock.set_offset(clock.offset() + self.job().due_at - clock.now() + 61)
        sweeper.run()
        self.until_done()

    def samples(self, week: str | None = None) -> list[Sample]:
        return visibility.load_samples(self.site_id, week or week_of(clock.now()))

    def week(self, week: str | None = None) -> Week | None:
        shown = visibility.load_weeks(self.site_id, [week or week_of(clock.now())])
        return shown.weeks[0] if shown.weeks else None

    def asked(self) -> Counter[tuple[str, str]]:
        """How often each question came to each provider."""
        counted: Counter[tuple[str, str]] = Counter()
        for exchange in self.standin.exchanges:
            counted[exchange.provider, _question(exchange.body)] += 1
        return counted


def _question(body: dict[str, object]) -> str:
    asked = body.get("input") or body.get("messages") or body.get("contents")
    while not isinstance(asked, str):
        assert isinstance(asked, list | dict)
        asked = asked[0] if isinstance(asked, list) else (asked.get("content") or asked.get("parts") or asked["text"])
    return asked


def answer_here(monkeypatch: pytest.MonkeyPatch, standin: Assistants, providers: tuple[str, ...] = PROVIDERS) -> None:
    """Have these providers answered by the stand-in, and no other asked."""
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    monkeypatch.delenv("SAMPLING_MODELS", raising=False)
    monkeypatch.delenv("SAMPLING_ANSWERS", raising=False)
    for provider in PROVIDERS:
        monkeypatch.setenv(f"{provider.upper()}_BASE_URL", standin.url)
        monkeypatch.setenv(f"{provider.upper()}_API_KEY", KEY if provider in providers else "")
    forget_settings()


@contextmanager
def sampled(
    monkeypatch: pytest.MonkeyPatch, standin: Assistants, providers: tuple[str, ...] = PROVIDERS
) -> Iterator[Sampled]:
    """A website on a Wednesday, without prompts yet."""
    answer_here(monkeypatch, standin, providers)
    standin.misbehave("none")
    standin.brands, standin.delay, standin.most_at_once = (*BRANDS, OWN), 0.0, 0
    standin.exchanges.clear()
    clock.set_offset(clock.offset() + WEDNESDAY - clock.now())
    place_week(None)
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    website = websites.add(OPERATOR, workspace.id, "https://shop.example/", name="Acme")
    try:
        yield Sampled(standin, workspace.id, website.id)
    finally:
        monkeypatch.undo()
        forget_settings()
