"""Mutants: what is changed, what is left alone, and that a seed draws the same again."""

from pathlib import Path

import pytest

from tests.mutation import operators, subjects
from tests.mutation.running import ROOT


def made(source: str) -> set[str]:
    """Every mutant of a module, by the lines that it changed."""
    before = source.splitlines()
    mutants = [mutant for place in operators.places("m.py", source) for mutant in place]
    return {
        " / ".join(line.strip() for line in mutant.source(source).splitlines() if line not in before)
        for mutant in mutants
    }


@pytest.mark.parametrize(
    ("line", "mutants"),
    [
        ("x = a < b", {"x = a <= b", "x = a >= b"}),
        ("x = a is not None", {"x = a is None"}),
        ("x = (a) in (b)", {"x = (a) not in (b)"}),
        ("x = a and b", {"x = a or b", "x = True and b", "x = a and True"}),
        ("x = a or b or c", {"x = False or b or c", "x = a or False or c", "x = a or b or False"}),
        ("x = not a", {"x =  a"}),
        ("x = a - b", {"x = a + b"}),
        ("x = -1", {"x = 1", "x = -2", "x = -0"}),
        ("x = 3", {"x = 4", "x = 2"}),
        ("x = False", {"x = True"}),
        ('x = "ttl"', {'x = "ttlx"'}),
        ("x = f(a, b)", {"x = f(b, a)"}),
        ("x = a if b else c", {"x = a if True else c", "x = a if False else c"}),
        ("x = [a for a in b if a]", {"x = [a for a in b if True]"}),
        ("x.y = a", {"pass"}),
        ("f(a)", {"pass"}),
        ("raise Wrong(a)", {"pass"}),
        ("del a[b]", {"pass"}),
        ("f(a, condition=b)", {"pass", "f(a, condition=None)"}),
        (
            'x = "#a = :a AND attribute_exists(b)"',
            {
                'x = "(#a = :a AND attribute_exists(b)) OR attribute_not_exists(neverSet)"',
                'x = "(#a = :a OR attribute_not_exists(neverSet)) AND attribute_exists(b)"',
                'x = "#a = :a AND (attribute_exists(b) OR attribute_not_exists(neverSet))"',
            },
        ),
    ],
)
def test_each_kind_of_change(line: str, mutants: set[str]) -> None:
    assert made(f"{line}\n") == mutants


def test_what_is_in_functions_and_in_blocks_is_changed_too() -> None:
    source = (
        "def f(a=1):\n    for b in a:\n        if b:\n            break\n    while a:\n        g(a)\n    return a\n"
    )
    assert made(source) == {
        "def f(a=2):",
        "def f(a=0):",
        "if True:",
        "if False:",
        "continue",
        "while False:",
        "pass",
        "return None",
    }


@pytest.mark.parametrize(
    "source",
    [
        '"""Says 1."""\n',
        "x: Literal['a', 'b'] = a\n",
        "Write = Put | Update\n",
        "def f(a: int | None) -> dict[str, 'A']:\n    '''What 2 is.'''\n    pass\n",
        "_log.info('took %d', 3)\n",
        "def __repr__(self):\n    return 'x'\n",
        "x = 'words for a person'\n",
        "x = f'{a}:{b + 1}'\n",
        "assert a > 1\n",
        "__all__ = ['a']\n",
        "x = max(a, b)\n",
        "if TYPE_CHECKING:\n    pass\n",
    ],
)
def test_what_nobody_can_tell_from_the_code_as_it_is_is_left_alone(source: str) -> None:
    assert made(source) == set()


@pytest.mark.parametrize("subject", subjects.SUBJECTS, ids=lambda subject: subject.name)
def test_every_mutant_of_every_subject_is_python_and_another_module(subject: subjects.Subject) -> None:
    for path in (*subject.modules, *subject.tests):
        assert (ROOT / path).is_file()
    for module in subject.modules:
        source = (ROOT / module).read_text(encoding="utf-8")
        places = operators.places(module, source)
        assert places
        for mutant in (mutant for place in places for mutant in place):
            after = mutant.source(source)
            assert after != source
            assert mutant.diff(source).startswith("@@")
            assert mutant.lines[0] <= mutant.lines[1]


def test_a_seed_draws_the_same_evenly_and_one_a_place() -> None:
    source = Path(operators.__file__).read_text(encoding="utf-8")
    many = operators.places("many.py", source)
    few = many[:3]
    chosen = operators.drawn({"few": few, "many": many, "others": many}, 41, 7)
    assert {name: len(mutants) for name, mutants in chosen.items()} == {"few": 3, "many": 19, "others": 19}
    assert chosen == operators.drawn({"few": few, "many": many, "others": many}, 41, 7)
    assert chosen != operators.drawn({"few": few, "many": many, "others": many}, 41, 8)
    for mutants in chosen.values():
        assert len({tuple(place) for place in many for mutant in mutants if mutant in place}) >= len(mutants)
