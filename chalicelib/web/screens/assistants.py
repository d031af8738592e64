"""The workspace's own keys for AI assistants.

A new key replaces the old one; a key is never shown again, and can be removed.
"""

from datetime import UTC, datetime
from typing import Final

from chalicelib.domain.visibility.models import PROVIDERS
from chalicelib.operations import assistant_keys
from chalicelib.operations.errors import Refused
from chalicelib.store.secrets import Secret
from chalicelib.web.forms import Form
from chalicelib.web.page import DONE, Page
from chalicelib.web.replies import Redirect, Reply

NAMES: Final = {"openai": "OpenAI", "anthropic": "Anthropic", "gemini": "Google Gemini", "perplexity": "Perplexity"}
_PASSED_ON: Final = frozenset({"not_found", "not_allowed"})
_DONE: Final = {"put": "Saved. The key is used from the next sampling on.", "remove": "Forgotten."}


def show(page: Page, wrong: str | None = None, status: int = 200) -> Reply:
    kept = assistant_keys.list_all(page.who.actor, page.who.member.workspace_id)
    return page.view(
        "assistants.html",
        "Assistants",
        status=status,
        providers=[(one, NAMES[one]) for one in PROVIDERS],
        kept={one.provider: (one.hint, datetime.fromtimestamp(one.created_at, UTC).isoformat()) for one in kept},
        wrong=wrong,
        done=_DONE.get(page.query.get(DONE, "")),
    )


def act(page: Page, form: Form) -> Reply:
    actor, workspace_id, provider = page.who.actor, page.who.member.workspace_id, form.text("provider")
    what = form.text("do")
    try:
        if what == "put":
            assistant_keys.put(actor, workspace_id, provider, Secret(form.text("key")))
        elif what == "remove":
            assistant_keys.remove(actor, workspace_id, provider)
        else:
            raise Refused("not_found", "The form names no known action. Reload the page, and use one of its buttons.")
    except Refused as refused:
        if refused.code in _PASSED_ON:
            raise
        return show(page, refused.message, 422)
    return Redirect(page.here(**{DONE: what}))
