"""Kept audits: few blocks, read unchanged, and gone after their time."""

import random
from typing import Any

import pytest

from chalicelib import clock
from chalicelib.domain import ids
from chalicelib.domain.audit.difference import KeptDifference, difference
from chalicelib.domain.audit.kept import HEADER_SECONDS, PAGES_SECONDS, KeptAudit, KeptPage
from chalicelib.domain.audit.summary import ScoreEntry
from chalicelib.store import blocks, items, kept_audits, keys
from chalicelib.store.transactions import commit
from tests.domain.audit.test_difference import audit, issue, page

pytestmark = pytest.mark.usefixtures("store")

SITE = "site_1"


def keep(number: int, pages: list[KeptPage], **members: Any) -> KeptAudit:
    """Keep an audit that ends now, as its worker does."""
    now = clock.now()
    audit_id = f"crawl_{number:02d}"
    written, partitions = kept_audits.pages_writes(SITE, audit_id, pages, now + PAGES_SECONDS)
    blocks.write(written)
    kept = audit(issue("open"), id=audit_id, finished_at=now, partitions=partitions, **members)
    commit(kept_audits.writes(SITE, kept, None))
    return kept


def test_an_archived_audit_is_read_back_unchanged() -> None:
    pages = [page(number, "SEO-ONP-001", depth=2, page_score=881) for number in range(1_200)]
    kept = keep(1, pages, score=ScoreEntry(814, 830, None, "1", 9.5, "crawl_01"))
    assert kept_audits.load(SITE, ["crawl_01", "crawl_02"]) == {"crawl_01": kept}
    (found,) = kept_audits.load_pages(SITE, [kept])
    assert found is not None and sorted(found, key=lambda one: one.url) == pages
    (listed,) = kept_audits.newest(SITE, 10)
    assert (listed.id, listed.score, listed.partitions) == ("crawl_01", kept.score, kept.partitions)
    ((_, one),) = kept_audits.load_page(SITE, "page_7", [listed])
    assert one == pages[7]
    assert kept_audits.load_page(SITE, "page_unknown", [listed])[0][1] is None


def test_stored_audits_are_listed_newest_first_and_each_one_names_the_audit_before() -> None:
    for number in range(1, 4):
        keep(number, [page(1)])
    assert [one.id for one in kept_audits.newest(SITE, 2)] == ["crawl_03", "crawl_02"]
    assert kept_audits.newest(SITE, 1)[0].score is None
    assert [kept_audits.before(SITE, f"crawl_0{number}") for number in (3, 2, 1)] == ["crawl_02", "crawl_01", None]
    assert kept_audits.newest("site_2", 10) == []


def test_pages_of_an_audit_expire_after_90_days_and_the_rest_after_400() -> None:
    kept = keep(1, [page(1)])
    (listed,) = kept_audits.newest(SITE, 10)
    clock.set_offset(clock.offset() + PAGES_SECONDS + 60)
    assert kept_audits.load_pages(SITE, [kept]) == [None] and kept_audits.load_page(SITE, "page_1", [listed]) == []
    assert kept_audits.load(SITE, ["crawl_01"]) and kept_audits.newest(SITE, 10)
    clock.set_offset(clock.offset() + HEADER_SECONDS - PAGES_SECONDS)
    assert kept_audits.load(SITE, ["crawl_01"]) == {} and kept_audits.newest(SITE, 10) == []


def test_the_changes_of_an_audit_are_read_with_it_and_expire_with_its_pages() -> None:
    before, after = [page(1), page(2)], [page(2, title="Another"), page(3)]
    base, kept = keep(1, before), keep(2, after)
    since = KeptDifference(base.id, difference(base, kept, before, after))
    assert kept_audits.load_with_difference(SITE, kept.id) == (kept, None)
    commit(kept_audits.writes(SITE, kept, since))
    assert kept_audits.load_with_difference(SITE, kept.id) == (kept, since)
    assert kept_audits.load_with_difference(SITE, "crawl_03") is None
    clock.set_offset(clock.offset() + PAGES_SECONDS + 60)
    assert kept_audits.load_with_difference(SITE, kept.id) == (kept, None)


@pytest.mark.parametrize("limit", ["MAX_BLOCK_BYTES", "MOST_DIFFERENCE_BYTES"])
def test_a_comparison_of_two_audits_that_is_too_large_is_not_stored(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = [page(number) for number in range(50)]
    base, kept = keep(1, []), keep(2, pages)
    since = KeptDifference(base.id, difference(base, kept, [], pages))
    assert len(kept_audits.writes(SITE, kept, since)) == 3
    monkeypatch.setattr(kept_audits, limit, 100)
    assert kept_audits.writes(SITE, kept, since) == kept_audits.writes(SITE, kept, None)


def test_an_audit_whose_page_data_lacks_a_block_has_no_page_data() -> None:
    kept = keep(1, [page(number) for number in range(1_200)])
    items.delete(kept_audits.TABLE, *keys.kept_pages(SITE, kept.id, 1))
    assert kept_audits.load_pages(SITE, [kept]) == [None]


def test_ten_thousand_pages_take_few_blocks() -> None:
    draw = random.Random(7)
    words = ["boots", "tents", "stoves", "maps", "lamps", "ropes", "hats", "bags"]
    pages = []
    for number in range(10_000):
        url = f"https://shop.example/{'-'.join(draw.choices(words, k=4))}-{number}"
        texts = {"title": " ".join(draw.choices(words, k=6)), "description": " ".join(draw.choices(words, k=24))}
        rules = [f"SEO-ONP-{draw.randrange(40):03d}" for _ in range(6)]
        pages.append(KeptPage(ids.page_id(SITE, url), url, True, 200, **texts, canonical=url, rules=rules))
    written, partitions = kept_audits.pages_writes(SITE, "crawl_01", pages, 1.0)
    assert partitions == len(written) == 20
    assert sum(len(put.item["data"]) for put in written) < 2_500_000


def test_the_page_list_of_an_audit_is_not_stored_if_it_needs_too_many_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_audits, "MOST_BLOCKS", 2)
    draw = random.Random(7)
    loud = [
        page(number, description="".join(chr(draw.randrange(0x4E00, 0x9FFF)) for _ in range(300)))
        for number in range(2_000)
    ]
    assert kept_audits.pages_writes(SITE, "crawl_01", loud, 1.0) == ([], None)
    kept = keep(1, [page(1)])
    kept.partitions = None
    assert kept_audits.load_pages(SITE, [kept]) == [None]
