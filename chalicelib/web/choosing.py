"""A form for choosing websites: all websites, or ticked ones. If there are too many websites to tick, the person types
their hosts.

The fields are ``covers`` (``all`` or ``some``), ``site`` (ids of ticked websites) and ``hosts`` (one per line).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from chalicelib.operations.errors import Refused
from chalicelib.store.website_names import NameRow
from chalicelib.web.forms import Form

MOST_TICKED: Final = 60  # websites; beyond that, hosts are typed


@dataclass(frozen=True, slots=True)
class Choice:
    """The form, and what a person chose in it.

    - ``every``: whether all websites are chosen, including websites that are added later.
    - ``hosts``: the hosts as typed.
    """

    rows: Sequence[NameRow]
    every: bool
    ticked: frozenset[str]
    hosts: str

    @property
    def by_host(self) -> bool:
        """Whether the person types hosts, because there are too many websites to tick."""
        return len(self.rows) > MOST_TICKED

    def site_ids(self) -> list[str] | None:
        """Return the ids of the chosen websites; None if all are chosen.

        Raises ``Refused`` with ``bad_site`` if the workspace has no website with a typed host.
        """
        if self.every:
            return None
        if not self.by_host:
            return sorted(self.ticked)
        found: list[str] = []
        for host in self.hosts.split():
            ids = [row.id for row in self.rows if row.host == host.lower()]
            if not ids:
                raise Refused("bad_site", f"There is no website {host[:100]!r} in this workspace.")
            found += ids
        return list(dict.fromkeys(found))


def shown(rows: Sequence[NameRow], site_ids: Iterable[str] | None) -> Choice:
    """Return the form with these websites chosen. ``site_ids``: None for all websites."""
    ticked = frozenset(site_ids or ())
    hosts = "\n".join(dict.fromkeys(row.host for row in rows if row.id in ticked))
    return Choice(rows, site_ids is None, ticked, hosts)


def read(rows: Sequence[NameRow], form: Form) -> Choice:
    """Return the posted form."""
    return Choice(rows, form.text("covers") == "all", frozenset(form.all("site")), form.text("hosts"))
