"""Types are read by many threads at once, from the first time on."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from chalicelib import typed

ROOT = Path(__file__).resolve().parent.parent

# In a process of its own: what goes wrong ends it.
AT_ONCE = """
import sys, threading
import msgspec
from msgspec import defstruct as struct
from chalicelib import typed

sys.setswitchinterval(1e-6)
values = [[[[1] * 30] * 10] * 10]
packed, text = msgspec.msgpack.encode(values), msgspec.json.encode(values)
READS = [
    lambda type_: typed.from_msgpack(packed, type_),
    lambda type_: typed.from_json(text, type_),
    lambda type_: typed.convert(values, type_),
    lambda type_: typed.decoder(type_).decode(packed),
]
for _ in range(100):
    inner = struct("Inner", [(f"a{at}", int | str | list[int], 0) for at in range(30)], array_like=True)
    middle = struct("Middle", [(f"b{at}", inner | None, None) for at in range(10)], array_like=True)
    outer = struct("Outer", [(f"c{at}", middle | None, None) for at in range(10)], array_like=True)
    ready, read = threading.Barrier(len(READS)), []

    def go(reads):
        ready.wait()
        read.append(reads(list[outer]))

    threads = [threading.Thread(target=go, args=[reads]) for reads in READS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read) == len(READS) and all(one == read[0] and one[0].c9.b9.a29 == 1 for one in read)
"""


class Tent(msgspec.Struct):
    people: int


def test_several_threads_can_read_a_new_type_at_the_same_time() -> None:
    done = subprocess.run([sys.executable, "-c", AT_ONCE], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-2_000:]}"


def test_a_value_of_the_wrong_type_raises_an_error() -> None:
    for _ in range(2):
        assert typed.from_json(b'{"people": 2}', Tent) == typed.convert({"people": 2}, Tent) == Tent(2)
        with pytest.raises(msgspec.ValidationError):
            typed.from_json('{"people": "two"}', Tent)
        with pytest.raises(msgspec.DecodeError):
            typed.from_msgpack(b"\x92", list[Tent])
        with pytest.raises(msgspec.ValidationError):
            typed.convert({}, Tent)
        with pytest.raises(TypeError):
            typed.decoder(dict[Tent, "what"])  # type: ignore[name-defined] # noqa: F821
