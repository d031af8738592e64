"""Speed tests as they are stored: results in blocks, the state that everybody competes for, field data."""

import pytest

from chalicelib.domain.agentic import Check, Item
from chalicelib.domain.speed.budget import SpeedState, WaitingRun
from chalicelib.domain.speed.field import FieldRecord
from chalicelib.domain.speed.records import Collected, FieldBook
from chalicelib.store import speed
from chalicelib.store.blocks import MAX_BLOCK_BYTES
from chalicelib.store.errors import Conflict
from chalicelib.store.transactions import commit
from tests import aws
from tests import speed as made

SITE, OTHER = "site_1", "site_2"
BOOK = FieldBook(phone=Collected(FieldRecord(True, lcp_ms=2_300.0, period_end="2026-11-19"), 5.0))


@pytest.mark.usefixtures("store")
def test_all_speed_data_is_read_in_one_call() -> None:
    results = [made.result(f"https://shop.example/{number}", at=1_000.0) for number in range(500)]
    made.stored(SITE, results)
    commit([speed.put_field(SITE, speed.load_field(SITE), BOOK)])
    with aws.counted_calls() as calls:
        known = speed.load(SITE)
    assert calls == {"BatchGetItem": 1}
    assert sorted(known.results, key=lambda one: one.url) == sorted(results, key=lambda one: one.url)
    assert known.field.book == BOOK and known.state.tested_at == 1_000.0
    assert speed.load(OTHER) == speed.Speed(
        SpeedState(), tuple(speed.Block(number, {}, 0) for number in range(16)), speed.Field(FieldBook(), 0)
    )


@pytest.mark.usefixtures("store")
def test_the_latest_result_of_each_device_is_kept() -> None:
    url = "https://shop.example/"
    made.stored(SITE, [made.result(url, at=1.0), made.result(url, "desktop", at=2.0), made.result(url, at=3.0)])
    found = speed.load_block(SITE, url).results
    assert {key: one.tested_at for key, one in found.items()} == {(url, "mobile"): 3.0, (url, "desktop"): 2.0}


@pytest.mark.usefixtures("store")
def test_the_second_of_two_writers_of_an_item_gets_a_conflict() -> None:
    state, block, field = speed.load_state(SITE), speed.load_block(SITE, "a"), speed.load_field(SITE)
    waiting = state.with_run(WaitingRun("job_1", "https://shop.example/", "mobile", 9.0))
    writes = {
        speed.STATE: lambda: speed.put_state(SITE, waiting),
        speed.RESULTS: lambda: speed.put_results(SITE, block, [made.result("a", at=1.0)]),
        speed.FIELD: lambda: speed.put_field(SITE, field, BOOK),
    }
    for name, write in writes.items():
        commit([write()])
        with pytest.raises(Conflict) as conflict:
            commit([write()])
        assert conflict.value.failed.keys() == {name}
    assert speed.load_state(SITE).waiting == waiting.waiting
    commit([speed.put_state(SITE, speed.load_state(SITE).without_run("job_1"))])
    assert speed.load_state(SITE).waiting == () and speed.load_state(SITE).version == 2


@pytest.mark.usefixtures("store")
def test_if_a_block_of_speed_results_is_full_its_oldest_results_are_dropped() -> None:
    block = speed.load_block(SITE, "a")
    results = [made.result(f"https://shop.example/{number}", at=float(number)) for number in range(300)]
    commit([speed.put_results(SITE, block, results)])
    kept = speed.load_block(SITE, "a").results.values()
    assert sorted(one.tested_at for one in kept) == [float(number) for number in range(180, 300)]


@pytest.mark.usefixtures("store")
def test_a_block_never_exceeds_the_size_of_an_item() -> None:
    import random

    letters = random.Random(1)

    def noise() -> str:
        return "".join(chr(letters.randrange(0x4E00, 0x9FFF)) for _ in range(300))

    def check() -> Check:
        return Check("fail", 0.0, items=tuple(Item(noise(), noise(), noise()) for _ in range(5)), detail=noise())

    results = [
        made.result(f"https://shop.example/{number}", at=float(number), checks={f"c{n}": check() for n in range(3)})
        for number in range(100)
    ]
    write = speed.put_results(SITE, speed.load_block(SITE, "a"), results)
    assert len(write.item["data"]) <= MAX_BLOCK_BYTES
    commit([write])
    kept = [one.tested_at for one in speed.load_block(SITE, "a").results.values()]
    assert 5 < len(kept) < 100 and max(kept) == 99.0 and sorted(kept) == [float(n) for n in range(100 - len(kept), 100)]
