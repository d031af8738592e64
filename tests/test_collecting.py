"""Garbage collection during a run of the suite."""

import gc
import weakref

from tests.plugins import collecting


class Thing:
    """Something that refers to itself, so that only a collection ends it."""

    def __init__(self) -> None:
        self.own = self


def looked_at(thing: Thing) -> bool:
    return any(each is thing for each in gc.get_objects())


def test_garbage_collection_skips_objects_created_before_the_tests() -> None:
    assert gc.get_freeze_count() > 10_000  # the modules alone
    assert not any(each is vars(collecting) for each in gc.get_objects())


def test_garbage_collection_skips_objects_kept_by_earlier_files() -> None:
    kept, dropped = Thing(), weakref.ref(Thing())
    assert looked_at(kept)
    collecting.keep()
    assert not looked_at(kept) and dropped() is None
    made = weakref.ref(Thing())
    gc.collect()
    assert made() is None, "what is made later is collected as ever"
