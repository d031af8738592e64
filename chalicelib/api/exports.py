"""Exports: all data of a website in the API, as files."""

import re
from typing import Final

from chalicelib import clock, typed
from chalicelib.api.refusals import refusal
from chalicelib.api.shapes import exports as shapes
from chalicelib.api.shapes.values import instant, instant_or_none
from chalicelib.domain.accounts.rights import READ_SCOPES
from chalicelib.domain.exports import Exported
from chalicelib.domain.jobs import Job
from chalicelib.http.authentication import is_id
from chalicelib.http.endpoints import Call, Group
from chalicelib.http.errors import ApiError, not_found
from chalicelib.http.parameters import NoParameters
from chalicelib.operations import exports
from chalicelib.operations.errors import Refused
from chalicelib.store import exports as stored
from chalicelib.store import jobs, objects

group = Group("exports", "All data of a website, as CSV and JSON Lines in one file.")

POLL_SECONDS: Final = 10


def _check_scopes(call: Call[NoParameters]) -> None:
    """Check that the caller may read everything. Raises ``ApiError``."""
    lacking = next((scope for scope in READ_SCOPES if scope not in call.auth.scopes), None)
    if lacking is not None:
        message = f"An export contains all data of the website, so it also needs the scope {lacking}."
        raise ApiError("missing_scope", message, scope=lacking)


@group.post(
    "/sites/{siteId}/exports",
    scope="sites:read",
    answer=shapes.ExportQueued,
    errors=("export_running", "busy"),
    status=202,
    retry_after=POLL_SECONDS,
    summary="Export a website",
)
def start_export(call: Call[NoParameters]) -> shapes.ExportQueued:
    """Queues an export of every list: issues and their pages, pages, actions, audits, scores, changes, search rows of
    16 months, topics, landing pages, speed, Agentic browsing and AI visibility. The zip file has each list as CSV and
    as JSON Lines, and a README about the columns. A website has one export at a time.

    Needs every scope that ends in `:read`. Poll until `status` is `done` or `failed`.
    """
    _check_scopes(call)
    try:
        job = exports.start(call.website, now=call.now)
    except exports.Running as running:
        raise ApiError(
            running.code, running.message, exportId=running.job_id, poll=_poll(call, running.job_id)
        ) from running
    except Refused as refused:
        raise refusal(refused) from refused
    return shapes.ExportQueued(queued=True, export_id=job.id, status="queued", poll=_poll(call, job.id))


def _poll(call: Call[NoParameters], job_id: str) -> str:
    return call.url(f"/sites/{call.website.id}/exports/{job_id}")


def _find(call: Call[NoParameters]) -> Job:
    _check_scopes(call)
    job_id = call.path["exportId"]
    job = jobs.get(call.website.id, job_id) if is_id(job_id) else None
    if job is None or job.kind != "export":
        raise not_found("export")
    return job


@group.get(
    "/sites/{siteId}/exports/{exportId}",
    scope="sites:read",
    answer=shapes.Export,
    find=_find,
    stored=False,
    summary="Read one export",
)
def read_export(call: Call[NoParameters]) -> shapes.Export:
    """The progress of an export and, once it is done, the address of its file. Needs every scope that ends in
    `:read`.
    """
    job: Job = call.found
    until = None if job.ended_at is None or job.error is not None else job.ended_at + objects.KEPT_SECONDS
    there = until is not None and call.now < until - objects.ADDRESS_SECONDS
    return shapes.Export(
        export_id=job.id,
        status=_status(job),
        queued_at=instant(job.queued_at),
        finished_at=instant_or_none(job.ended_at),
        error=job.error,
        file_bytes=job.payload.get("bytes"),
        lists=[shapes.ExportedList(name=one.name, rows=one.rows, note=one.note) for one in _lists(job)],
        available_until=instant_or_none(until),
        url=objects.address_of(stored.name_of(job.site_id, job.id), _file_name(call, job)) if there else None,
    )


def _lists(job: Job) -> list[Exported]:
    return typed.convert(job.payload.get("lists", []), list[Exported])


def _status(job: Job) -> shapes.ExportStatus:
    if job.ended:
        return "done" if job.error is None else "failed"
    return "running" if job.lease_until else "queued"


def _file_name(call: Call[NoParameters], job: Job) -> str:
    host = re.sub(r"[^A-Za-z0-9._-]", "-", call.website.host)
    return f"{host}-{clock.utc(job.queued_at).date()}.zip"
