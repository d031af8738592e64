"""A seed of property tests tries the same examples, whatever else was changed or loaded."""

import importlib.util
import sys
from pathlib import Path

from hypothesis import given, seed, settings
from hypothesis import strategies as st


def _drawn() -> list[tuple[int, str]]:
    drawn = []

    @seed(1)
    @settings(max_examples=300, database=None)
    @given(st.integers(0, 2**32), st.text())
    def draw(number: int, text: str) -> None:
        drawn.append((number, text))

    draw()
    return drawn


def test_the_same_seed_draws_the_same_examples_whatever_modules_are_loaded(tmp_path: Path) -> None:
    before = _drawn()
    path = tmp_path / "constants.py"
    path.write_text("\n".join(f"C{number} = {number * 977}, 'constant {number}'" for number in range(1000, 1400)))
    spec = importlib.util.spec_from_file_location("module_of_constants", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        assert _drawn() == before
    finally:
        del sys.modules[spec.name]
