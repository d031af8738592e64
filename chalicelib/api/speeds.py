"""Converts stored speed data to shapes of answers."""

from collections.abc import Mapping, Sequence
from typing import Any

from chalicelib.api import paging
from chalicelib.api.shaped import shaped
from chalicelib.api.shapes.performance import (
    FindingsUse,
    Lab,
    PageField,
    Performance,
    SiteField,
    SiteFieldData,
    TestBudget,
    TestedPage,
)
from chalicelib.api.shapes.values import instant, site_link
from chalicelib.domain import plans
from chalicelib.domain.audit.inputs import LEAST_RUNS
from chalicelib.domain.speed.budget import Budget
from chalicelib.domain.speed.measured import field_of, lab_of, lab_runs, page_speed, results_by_address
from chalicelib.domain.speed.records import Collected, FieldBook, SpeedResult
from chalicelib.domain.speed.window import MeasuredDays
from chalicelib.http.endpoints import Call
from chalicelib.rules.wording import counted, spelled
from chalicelib.store.speed import Speed

NOTHING_TESTED = "No speed test of this {} has been stored yet."


def per_day(call: Call[Any]) -> int:
    """Return the number of speed tests that the workspace's plan allows per website and day."""
    return plans.plan(call.workspace.plan).speed_tests_per_day


def budget(found: Budget) -> TestBudget:
    return shaped(TestBudget, found)


def performance(call: Call[Any], known: Speed, url: str | None, offset: int, limit: int | None) -> Performance:
    """Make the answer about the speed of the website or, if ``url`` is given, of that page only. ``known``: the stored
    results.

    ``offset``: how many pages to skip; ``limit``: how many to list (None: all).
    """
    book, measured = known.field.book, known.state.measured
    tested = sorted(
        results_by_address(known.results).items(),
        key=lambda one: (-max(result.tested_at for result in one[1].values()), one[0]),
    )
    listed = tested[offset:][:limit]
    return Performance(
        site=SiteFieldData(phone=_site(book.phone), desktop=_site(book.desktop)),
        pages=[_page(url, by_device, book, measured) for url, by_device in listed],
        total=len(tested),
        offset=offset,
        next_offset=paging.following(offset, len(listed), len(tested)) if listed else None,
        truncated=False,
        budget=budget(known.state.budget(per_day(call), call.now)),
        note=_note(
            "website" if url is None else "page",
            [lab_runs(by_device.get("mobile"), measured) for _, by_device in tested],
            book,
        ),
        link=site_link(call.website.id, "performance"),
    )


def _site(collected: Collected | None) -> SiteField | None:
    if collected is None:
        return None
    return shaped(SiteField, collected.record, collected_at=instant(collected.collected_at))


def _page(url: str, by_device: Mapping[str, SpeedResult], book: FieldBook, measured: MeasuredDays) -> TestedPage:
    last = max(by_device.values(), key=lambda result: result.tested_at)
    phone, desktop = lab_of(by_device.get("mobile"), measured), lab_of(by_device.get("desktop"), measured)
    used = page_speed(by_device.get("mobile"), url, book, measured)
    inp = used.source("inp")
    return TestedPage(
        url=url,
        template=last.template,
        tested_at=instant(last.tested_at),
        lighthouse_version=last.agentic.lighthouse_version,
        lab=Lab(
            lcp_ms=None if phone is None else phone.lcp_ms,
            cls=None if phone is None else phone.cls,
            runs=lab_runs(by_device.get("mobile"), measured),
            desktop_lcp_ms=None if desktop is None else desktop.lcp_ms,
        ),
        field=_field(url, book),
        findings_use=FindingsUse(lcp=used.source("lcp"), cls=used.source("cls"), inp=None if inp == "lab" else inp),
    )


def _field(url: str, book: FieldBook) -> PageField | None:
    found = field_of(url, book)
    if found is None:
        return None
    speed, collected = found
    return shaped(PageField, speed, period_end=collected.record.period_end)


def _note(subject: str, runs: Sequence[int], book: FieldBook) -> str | None:
    """Return the note of an answer. ``subject``: a website or a page; ``runs``: for each tested page, how many runs on
    a phone still count."""
    if not runs:
        return NOTHING_TESTED.format(subject)
    notes = []
    few = sum(count < LEAST_RUNS for count in runs)
    if few:
        have = "has" if few == 1 else "have"
        notes.append(
            f"{counted(few, 'page')} {have} fewer than {spelled(LEAST_RUNS)} current runs on a phone, so findings do "
            "not use their lab values."
        )
    if book.phone is None:
        notes.append("Data of real visitors has not been fetched yet.")
    return " ".join(notes) or None
