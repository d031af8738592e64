"""Declared faults of the demo website.

A ``Fault`` is one cause: a change to the clean website, and the findings that it must lead to. Findings are declared
per rule as the affected addresses (paths with the query string), or as ``SITE`` for rules about the whole website. If
one cause leads to findings of two rules, it declares both. For example, a broken address also causes a finding on the
page that links to it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from local.demo.model import Page, Website

SITE: Final = "SITE"
Affected = frozenset[str] | str  # paths, or SITE


@dataclass(frozen=True, slots=True)
class Fault:
    """One cause of findings. ``affects``: rule id -> affected paths, or SITE for the whole website."""

    affects: Mapping[str, Affected]
    inject: Callable[[Website], None]

    def touches(self, rule_id: str, path: str) -> bool:
        """Whether this cause gives the rule a finding at ``path`` (SITE means a finding about the whole website)."""
        affected = self.affects.get(rule_id)
        return affected == SITE if path == SITE else affected is not None and path in affected


def declared(faults: Iterable[Fault]) -> dict[str, Affected]:
    """Merge the findings of these faults into one mapping: rule id -> affected paths, or SITE."""
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
    """Make a fault that changes one page and affects only that page."""
    return Fault(
        {rule_id: frozenset({path}) for rule_id in rule_ids},
        lambda site: change(site.page(path)),
    )


def on_pages(rule_id: str, paths: Iterable[str], change: Callable[[Page], None]) -> list[Fault]:
    """Make one fault for each page, all with the same change."""
    return [on_page(path, change, rule_id) for path in paths]


def on_site(rule_id: str, change: Callable[[Website], None]) -> Fault:
    """Make a fault that affects the website as a whole."""
    return Fault({rule_id: SITE}, change)


def adding_link(source: str, target: str, label: str, affects: Mapping[str, Iterable[str]]) -> Fault:
    """Make a fault that adds a link to ``target`` to the text of ``source``. ``affects``: rule id -> affected paths."""

    def inject(site: Website) -> None:
        site.page(source).extra.append(f'<p>See also: <a href="{target}">{label}</a>.</p>')

    return Fault({rule_id: frozenset(paths) for rule_id, paths in affects.items()}, inject)
