"""Questions about search performance over the store, against sums over the rows as they were told."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.domain.search.manifest import Dataset
from chalicelib.domain.search.periods import Period
from chalicelib.domain.search.questions import Question, page_matcher
from chalicelib.domain.search.rows import Row
from chalicelib.operations import accounts, search, websites
from chalicelib.store import items, keys, search_results
from chalicelib.store import search as stored
from chalicelib.store.search_results import Part
from chalicelib.store.websites import Website
from local import embedded
from tests import stored_search
from tests.domain.search import naive
from tests.domain.search.naive import Raw
from tests.lengths import examples

WHOLE = Period(naive.FIRST, date(2026, 11, 30))


@pytest.fixture(scope="module")
def site(embedded_aws: None) -> Website:
    embedded.clear()
    workspace = accounts.create_workspace(OPERATOR, "Acme", "starter")
    return websites.add(OPERATOR, workspace.id, "https://acme.example/", name="Main")


def _walk(site: Website, question: Question, step: int) -> list[Row]:
    """All rows, ``step`` at a time, as a reader gets them."""
    found: list[Row] = []

    def ask(manifests: search.Manifests) -> Part:
        return search.part(site.id, manifests.get(question.dataset), question, len(found), step)

    while True:
        part = search.asking(site.id, (question.dataset,), ask)
        found += part.rows
        assert part.total >= len(found)
        if len(found) == part.total:
            return found


@st.composite
def imported(draw: st.DrawFn) -> tuple[Raw, Sequence[date]]:
    """Rows, and which of their days are archived."""
    rows = draw(naive.raw)
    days = draw(st.lists(st.sampled_from(sorted(rows)), unique=True)) if rows else []
    return rows, days


@settings(max_examples=examples(30))
@given(
    given_rows=imported(),
    asked=naive.ranges,
    dimension=st.sampled_from(["query", "page"]),
    page=st.sampled_from([None, "a", "日", "https://example.org/", "https://EXAMPLE.org"]),
    step=st.integers(1, 7),
)
def test_results_read_page_by_page_equal_the_sums_over_all_imported_rows(
    site: Website,
    given_rows: tuple[Raw, Sequence[date]],
    asked: tuple[date, date],
    dimension: Any,
    page: str | None,
    step: int,
) -> None:
    rows, archived = given_rows
    dataset: Dataset = dimension
    stored_search.put_rows(site, dataset, rows, WHOLE, archived=archived)
    question = Question(dimension, Period(*asked), page=page if dimension == "page" else None)
    matches = page_matcher(page) if question.page is not None and page is not None else lambda _: True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_results, "BLOCK_ROWS", 3)
        assert _walk(site, question, step) == naive.ranked(rows, *asked, matches)
        if question.page is not None:
            of_days = naive.by_day(rows, *asked, matches)
            assert _walk(site, question._replace(dimension="date"), step) == [
                Row(str(day), one.clicks, one.impressions, one.positions) for day, one in of_days.items()
            ]


def test_a_query_is_repeated_when_an_import_replaces_its_data(site: Website) -> None:
    rows = {naive.FIRST: [naive.Told("a", 1, 2, 3.0)]}
    period = Period(naive.FIRST, naive.FIRST)
    stored_search.put_rows(site, "query", rows, period)
    turns = []

    def ask(manifests: search.Manifests) -> int:
        turns.append(manifests["query"].version)
        if len(turns) == 1:  # between manifest and blocks an import ends, and its old blocks go
            old = manifests["query"]
            stored_search.put_rows(site, "query", rows, period)
            stored.remove(site.id, "query", old.blocks())
        return search.part(site.id, manifests["query"], Question("query", period), 0, 10).total

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("chalicelib.store.blocks.EXPIRY_SECONDS", -1)
        assert search.asking(site.id, ("query",), ask) == 1
    assert len(set(turns)) == 2


def test_missing_blocks_of_search_data_raise_an_error(site: Website) -> None:
    rows = {naive.FIRST: [naive.Told("a", 1, 2, 3.0)]}
    period = Period(naive.FIRST, naive.FIRST)
    manifest = stored_search.put_rows(site, "query", rows, period)
    for block in manifest.blocks():
        items.delete("search", *keys.search_block(site.id, "query", *block))
    with pytest.raises(stored.Moved):
        search.asking(
            site.id, ("query",), lambda found: search.part(site.id, found["query"], Question("query", period), 0, 1)
        )
