"""Declared faults of the demo website.

A ``Fault`` is one cause: a change to the clean website, and the findings it must lead to. Findings are declared for
each rule as the affected addresses (paths with the query string), or ``SITE`` for rules about the whole website. If a
cause leads to findings of two rules (a broken address and the page that links to it), it declares both.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from local.demo.model import Page, Website

SITE: Final = "SITE"
Affected = frozenset[str] | str  # paths, or SITE


@dataclass(frozen=True, slots=True)
class Fault:
    """One cause. ``affects``: rule id -> affected paths, or SITE."""

    affects: Mapping[str, Affected]
    inject: Callable[[Website], None]

    def touches(self, rule_id: str, path: str) -> bool:
        """Whether the rule has a finding at ``path`` (SITE for the website) because of this cause."""
        affected = self.affects.get(rule_id)
        return affected == SITE if path == SITE else affected is not None and path in affected


def declared(faults: Iterable[Fault]) -> dict[str, Affected]:
    """All findings of the faults together: rule id -> affected paths, or SITE."""
    found: dict[str, Affected] = {}
    for fault in faults:
        for rule_id, affected in fault.affects.items():
            before = found.get(rule_id, frozenset())
            if isinstance(affected, str) or isinstance(before, str):
                found[rule_id] = SITE
            else:
                found[rule_id] = before | affected
    return dict(sorted(found.items()))


def on_page(path: str, change: Callable[[Page], None], *rule_ids: str) -> Fault:
    """A fault of one page that affects only that page."""
    return Fault(
        {rule_id: frozenset({path}) for rule_id in rule_ids},
        lambda site: change(site.page(path)),
    )


def on_pages(rule_id: str, paths: Iterable[str], change: Callable[[Page], None]) -> list[Fault]:
    """The same fault on several pages, each a cause of its own."""
    return [on_page(path, change, rule_id) for path in paths]


def on_site(rule_id: str, change: Callable[[Website], None]) -> Fault:
    """A fault of the website as a whole."""
    return Fault({rule_id: SITE}, change)


def adding_link(source: str, target: str, label: str, affects: Mapping[str, Iterable[str]]) -> Fault:
    """A link in the text of ``source`` that leads to ``affects``."""

    def inject(site: Website) -> None:
        site.page(source).extra.append(f'<p>See also: <a href="{target}">{label}</a>.</p>')

    return Fault({rule_id: frozenset(paths) for rule_id, paths in affects.items()}, inject)
