"""The audits of a website: the running audit, the audits that ended, and the score after each."""

from collections.abc import Sequence
from datetime import date
from typing import Any, Final

from chalicelib.http.errors import ApiError
from chalicelib.web.charts import Point
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.parts import Part
from chalicelib.web.replies import Redirect, Reply

PER: Final = 20
MOST_SCORES: Final = 60  # scores in the chart: the newest
_DONE: Final = {"started": "The audit is queued. It begins as soon as a worker is free."}
_ABOUT_THE_BUDGET: Final = frozenset({"bad_page_budget", "over_plan_limit"})
PARTIAL: Final = {
    "page_budget": "its page budget was used up",
    "plan_page_budget": "the plan's pages were used up",
    "time_budget": "its time was used up",
    "cancelled": "it was cancelled",
}


def data(page: Page) -> tuple[str, dict[str, str]]:
    return "list_audits", {"limit": str(PER), **page.sent("limit", "offset")}


def show(page: Page, wrong: str | None = None, budget: str = "") -> Reply:
    found = page.ask(*data(page))
    parts = page.parts(scores=lambda: page.ask("read_scores", {"detail": "audits"}))
    return page.view(
        "audits.html",
        "Audits",
        status=422 if wrong else 200,
        found=found,
        parts=parts,
        scores=_scores(parts["scores"]),
        partial=PARTIAL,
        per=PER,
        wrong=wrong,
        budget=budget,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    budget = form.text("pageBudget")
    if budget and not (budget.isascii() and budget.isdigit() and len(budget) < 10):
        return show(page, "A page budget must be a whole number, such as 500.", budget)
    try:
        started = page.ask("start_audit", body={"pageBudget": int(budget)} if budget else None)
    except ApiError as error:
        if error.code not in _ABOUT_THE_BUDGET:
            raise
        return show(page, error.message, budget)
    return Redirect(page.site_url("audits", started.audit_id, **{DONE: "started"}))


def _scores(part: Part) -> list[Point]:
    """Return the newest scores with what caused them. The line breaks if scores were computed in another way."""
    if not part.ready:
        return []
    found: Sequence[Any] = sorted(part.value.audits, key=lambda one: str(one.computed_at))[-MOST_SCORES:]
    points: list[Point] = []
    version = None
    for one in found:
        if version not in (None, one.version):
            points.append(Point(_short(one.computed_at), None, mark="From here on, scores are computed in a new way"))
        version = one.version
        points.append(Point(_short(one.computed_at), one.site, mark="Audit" if one.kind == "audit" else None))
    return points


def _short(moment: str) -> str:
    found = date.fromisoformat(moment[:10])
    return f"{found.day} {found:%b}"
