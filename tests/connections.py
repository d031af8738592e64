"""A website and the stand-in of its CMS, for tests of connections."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from chalicelib import clock
from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.connections import Writer
from chalicelib.domain.jobs import Job
from chalicelib.operations import accounts, connections, websites
from chalicelib.settings.reading import forget_settings
from chalicelib.store import api_keys, jobs
from chalicelib.store import websites as website_records
from chalicelib.workers import imports, sweeper
from local.standins.cms import Cms, ListSite
from tests import aws

API = "https://api.example/api/v1"


class Connected(NamedTuple):
    cms: Cms
    workspace_id: str
    site_id: str
    person_id: str

    def pair(self, code: str | None = None) -> Writer:
        return connections.pair(
            OPERATOR,
            self.site_id,
            url=self.cms.url,
            code=self.cms.code() if code is None else code,
            person_id=self.person_id,
            base_url=API,
        )

    def writer(self) -> Writer | None:
        website = website_records.get(self.workspace_id, self.site_id)
        assert website is not None
        return website.connections.cms

    def live_keys(self) -> list[str]:
        return [key.id for key in api_keys.list_all(self.workspace_id) if key.revoked_at is None]

    def job(self) -> Job | None:
        return jobs.get(self.site_id, connections.job_id("cms"))

    def sync_job(self) -> Job | None:
        return jobs.get(self.site_id, connections.sync_job_id("cms"))

    def sync(self) -> None:
        """Bring what the CMS holds, as the worker does when the time of the job has come."""
        job = self.sync_job()
        assert job is not None
        clock.set_offset(clock.offset() + max(0.0, job.due_at - clock.now()) + 1)
        aws.purge("imports")
        imports.handle({"siteId": self.site_id, "jobId": job.id}, None)

    def look_again(self) -> None:
        """As the sweeper finds the job when its time has come, and the worker does it."""
        job = self.job()
        assert job is not None
        clock.set_offset(clock.offset() + job.due_at + jobs.QUEUED_GRACE_SECONDS - clock.now() + 1)
        aws.purge("imports")
        sweeper.run()
        (message,) = (message for message in aws.messages("imports") if message["jobId"] == job.id)
        imports.handle(message, None)


@contextmanager
def connectable(monkeypatch: pytest.MonkeyPatch) -> Iterator[Connected]:
    """A website, not yet connected, and the stand-in that it can be connected to."""
    monkeypatch.setenv("ALLOW_ADDRESSES", "127.0.0.0/8")
    forget_settings()
    workspace = accounts.create_workspace(OPERATOR, "Acme", "agency")
    person = accounts.add_person(OPERATOR, workspace.id, "owner@acme.example", "owner")
    website = websites.add(OPERATOR, workspace.id, "https://shop.example/")
    cms = Cms(ListSite(3))
    try:
        yield Connected(cms, workspace.id, website.id, person.id)
    finally:
        cms.stop()
        forget_settings()
