"""Computes which addresses of a website no longer exist, and the page that each should redirect to."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from chalicelib.domain import ids
from chalicelib.domain.audit.records import AffectedPage, PageRow
from chalicelib.domain.changes.missing_addresses import Offered
from chalicelib.domain.search import pairs
from chalicelib.domain.search.periods import ending
from chalicelib.domain.search.questions import Question
from chalicelib.operations import search
from chalicelib.operations.search import Manifests
from chalicelib.rules.missing_addresses import LINKED_BY, LISTED_BY, missing, offered
from chalicelib.store import issues


def compute(
    site_id: str,
    host: str,
    home: str,
    rows: Sequence[PageRow],
    affected: Mapping[str, Sequence[AffectedPage]] = MappingProxyType({}),
    known: Iterable[Offered] = (),
) -> list[Offered]:
    """Return the addresses that no longer exist, each with the page to which it should redirect. Raises ``Moved`` if
    imports keep replacing the search data.

    - ``rows``: the rows of the published pages. The missing addresses are among them.
    - ``host``: the website's host.
    - ``home``: the address of its home page.
    - ``affected``: the affected pages by rule id, including ignored pages, for rules whose result is not published yet.
    - ``known``: see ``rules.missing_addresses.offered``.
    """
    book = issues.load_state(site_id)
    wanted = [] if book is None else [book.by_id(ids.issue_id(site_id, one)) for one in (LISTED_BY, LINKED_BY)]
    stored = [issue for issue in wanted if issue is not None and issue.rule_id not in affected]
    lists = {issue.rule_id: issues.load_with_ignored(site_id, issue) for issue in stored} | dict(affected)
    searched = search.of_pages(site_id, host, {row.url: None for row in rows})
    found = missing(rows, lists.get(LISTED_BY, ()), lists.get(LINKED_BY, ()), searched, host)
    return offered(found, rows, _queries(site_id, [one.url for one in found]), home, known)


def _queries(site_id: str, urls: Sequence[str]) -> dict[str, list[str]]:
    """Return the queries that showed each address in the last 28 days, those with most clicks first."""

    def ask(manifests: Manifests) -> dict[str, list[str]]:
        manifest = manifests.get("pairs")
        if manifest is None or manifest.period is None:
            return {}
        question = Question("query_page", ending(manifest.period.last, pairs.WINDOW_DAYS))
        found: dict[str, list[str]] = {}
        for row in search.part(site_id, manifest, question, 0, None).rows:
            query, page = pairs.parts(row.key)
            found.setdefault(page, []).append(query)
        return {url: found[url] for url in urls if url in found}

    return search.asking(site_id, ("pairs",), ask) if urls else {}
