"""Runs the AI visibility step of ``make run``: sends prompts about the demo website's subject to simulated AI
assistants.

If the user has connected a real assistant, this step sends no prompts, since answers cost money.
"""

import contextlib
import os
import time
from collections.abc import Callable
from typing import Any, Final

from rich.console import Console

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations import prompts, sampling, websites
from chalicelib.operations.errors import Refused
from local.demo.model import BRAND
from local.report import Api, Interrupted, paces
from local.service import Service
from local.standins.assistants import PROVIDERS
from local.standins.searching import BRANDS, Brand

SECONDS: Final = 60.0  # the longest wait for the answers
PAGES: Final = 2  # pages of the demo website that the stand-ins' searches find
PROMPTS: Final = (
    ("Which hiking boots are good for a week of rain?", "en-GB"),
    ("Where can I buy a light two-person tent in Scotland?", "en-GB"),
    ("What should I pack for a three-day walk in the hills?", "en-GB"),
    ("Welche Wanderschuhe sind für breite Füße geeignet?", "de-DE"),
    ("Which outdoor shops repair jackets?", "en-GB"),
)


class Questions:
    """Sends the prompts and shows the results at the terminal.

    ``stopped(seconds)`` waits, and returns True if the user stopped the service meanwhile.
    """

    def __init__(self, console: Console, service: Service, stopped: Callable[[float], bool]) -> None:
        self._console = console
        self._service = service
        self._stopped = stopped
        self._api = Api(service.base_url, service.tenant.workspace_key)
        self._site_id = service.tenant.site_id

    def show(self) -> None:
        """Send the prompts and print the results. Raises ``Interrupted`` and ``ApiRefusal``."""
        standin = self._service.assistants
        if any(os.environ.get(f"{provider.upper()}_BASE_URL") != standin.url for provider in PROVIDERS):
            self._say(
                "\nNo assistant was asked, because you have connected your own assistant: manage.py prompts add …"
            )
            return
        found = self._api.call("GET", f"/sites/{self._site_id}/pages?indexable=true&status=200&per={PAGES}")["pages"]
        standin.brands = (*BRANDS, Brand(BRAND, tuple(page["url"] for page in found) or (self._service.site_url,)))
        websites.edit(OPERATOR, self._site_id, aliases=[BRAND])
        for text, locale in PROMPTS:
            with contextlib.suppress(Refused):  # the prompt exists already, with STATE
                prompts.add(OPERATOR, self._site_id, text, locale=locale)
        with contextlib.suppress(Refused):  # this week's sampling is done already
            sampling.run(OPERATOR, self._site_id)
        week = self._answered()
        if week is None:
            self._say("\nThe assistants have not answered; see the log.")
            return
        interval = week["mentionInterval"] or {"low": 0.0, "high": 1.0}
        gaps = self._api.call("GET", f"/sites/{self._site_id}/ai-visibility/gaps")["gaps"]
        self._say(
            f"\n[bold]AI visibility[/bold] (stand-ins): {week['answers']} answers to {week['promptsAsked']} questions, "
            f"{week['named']} name {BRAND} (likely {interval['low']:.0%} to {interval['high']:.0%}), "
            f"{week['cited']} cite it; {len(gaps)} gap{'' if len(gaps) == 1 else 's'}"
        )

    def _answered(self) -> dict[str, Any] | None:
        until = time.monotonic() + SECONDS
        for seconds in paces():
            weeks = self._api.call("GET", f"/sites/{self._site_id}/ai-visibility?limit=1")["weeks"]
            if weeks or time.monotonic() >= until:
                return weeks[0] if weeks else None
            if self._stopped(seconds):
                raise Interrupted
        raise AssertionError  # ``paces`` never ends

    def _say(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)
