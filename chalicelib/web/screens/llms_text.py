"""llms.txt: edited as text next to the live file and a draft, and approved together with its difference from the live
file.

As with the rules for crawlers (``crawler_rules``), an approval is valid only for the difference that was shown. The
editor is as large as the text, which may have 60,000 characters.
"""

from typing import Final, NamedTuple

from chalicelib import clock
from chalicelib.domain.readiness.written import MOST_CHARACTERS
from chalicelib.http.errors import ApiError
from chalicelib.operations import files, readiness
from chalicelib.operations.errors import Refused
from chalicelib.operations.readiness import LlmsTxt
from chalicelib.store.websites import Website
from chalicelib.web import differences
from chalicelib.web.differences import Difference
from chalicelib.web.forms import Form
from chalicelib.web.page import Page
from chalicelib.web.parts import Part
from chalicelib.web.replies import Redirect, Reply

CHANGED: Final = (
    "The text, the live file or the last written text has changed since it was shown. Nothing was written. Look at "
    "the current difference."
)
UNREADABLE: Final = "The live file could not be read completely, so the changes cannot be shown."
FROM: Final = ("live", "draft", "written")  # the initial text of the editor, by the query parameter ``from``
_UNKNOWN: Final = frozenset({"error", "unreachable"})  # answers that do not show the current file
_SHOWN_AGAIN: Final = frozenset({400, 409, 422})


class Preview(NamedTuple):
    """The result of replacing the live file with the text.

    ``digest``: None if the result cannot be approved; ``why`` is then the reason.
    """

    difference: Difference | None
    digest: str | None
    why: str | None


def show(page: Page) -> Reply:
    website = page.website
    parts = page.parts(llms=lambda: readiness.llms_txt(website, page.now))
    part = parts["llms"]
    texts = _texts(part.value) if part.ready else {}
    wanted = page.query.get("from", "")
    first = wanted if wanted in texts else next((name for name in ("live", "draft", "written") if name in texts), "")
    return _view(page, part, texts.get(first, ""), first)


def act(page: Page, form: Form) -> Reply:
    text = "".join(form.all("text")[-1:]).replace("\r\n", "\n")[: MOST_CHARACTERS + 1]
    live = readiness.llms_txt(page.website, clock.now())
    part = Part("llms", "ready", live)
    preview = _preview(page.website, live, text)
    if form.text("do") != "approve":
        return _view(page, part, text, "", preview)
    if preview.digest is None:
        return _view(page, part, text, "", preview, status=409)
    if preview.digest != form.text("digest"):
        return _view(page, part, text, "", preview, CHANGED, 409)
    try:
        approved = page.ask("write_llms_txt", body={"value": text})
    except ApiError as error:
        if error.status not in _SHOWN_AGAIN:
            raise
        return _view(page, part, text, "", preview, error.message, 409 if error.status == 409 else 422)
    return Redirect(page.site_url("changes", approved.batch_id))


def _view(
    page: Page,
    part: Part,
    text: str,
    first: str,
    preview: Preview | None = None,
    wrong: str | None = None,
    status: int = 200,
) -> Reply:
    return page.view(
        "llms_text.html",
        "llms.txt",
        status=status,
        part=part,
        text=text,
        first=first,
        names=[name for name in FROM if part.ready and name in _texts(part.value)],
        preview=preview,
        wrong=wrong,
        most=MOST_CHARACTERS,
    )


def _texts(live: LlmsTxt) -> dict[str, str]:
    """Return the possible initial texts of the editor."""
    found = {
        "live": None if live.live.truncated else live.live.text,
        "draft": None if live.draft is None else live.draft.text,
        "written": None if live.write is None else live.write.value,
    }
    return {name: text for name, text in found.items() if text}


def _preview(website: Website, live: LlmsTxt, text: str) -> Preview:
    if live.live.fetched_kind in _UNKNOWN or live.live.truncated:
        return Preview(None, None, UNREADABLE)
    now = live.live.text or ""
    difference = differences.between(now, text)
    if len(text) > MOST_CHARACTERS:
        return Preview(difference, None, f"The text has more than {MOST_CHARACTERS:,} characters.")
    try:
        files.writer_of(website, "llms_txt")
    except Refused as refused:
        return Preview(difference, None, refused.message)
    last = None if live.write is None else f"{live.write.batch_id} {live.write.status}"
    return Preview(difference, differences.digest(live.live.text, text, last), None)
