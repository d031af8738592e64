"""The small changes: where each kind may be made in a module's source, and what it puts there.

Left out is what no caller can tell from the code as it is: docstrings, annotations, names of types, what is logged,
``__repr__``, the words of errors. Texts inside f-strings have no place of their own in the syntax tree of Python 3.11.
"""

import ast
import difflib
import itertools
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

_COMPARED: Final[dict[type[ast.cmpop], tuple[str, ...]]] = {
    ast.Lt: ("<", "<=", ">="),
    ast.LtE: ("<=", "<", ">"),
    ast.Gt: (">", ">=", "<="),
    ast.GtE: (">=", ">", "<"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_COMPUTED: Final[dict[type[ast.operator], tuple[str, str]]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "//"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: ("|", "&"),
    ast.LShift: ("<<", ">>"),
    ast.RShift: (">>", "<<"),
}
_FOR_PEOPLE: Final = re.compile(r"(_?log|_?logger|logging|warnings)\.")
_UNCHANGED_FUNCTIONS: Final = frozenset({"__repr__", "__str__"})
_UNCHANGED_CALLS: Final = frozenset({"cast", "TypeVar"})
_COMMUTATIVE: Final = frozenset({"hmac.compare_digest", "max", "min"})
_UNCHANGED_KEYWORDS: Final = frozenset({"strict"})  # of zip: it asserts what is so
_GENERIC: Final = frozenset({"Callable", "Final", "Literal", "Sequence", "dict", "frozenset", "list", "set", "tuple"})
_NAME: Final = re.compile(r"[\w:#./=-]+")  # a text that a program reads, not a person
_CONDITION: Final = re.compile(r"attribute_(not_)?exists\(|[=<>] :")  # of a write in DynamoDB
_UPDATE: Final = re.compile(r"(SET|REMOVE|ADD|DELETE) ")
_CLAUSE: Final = re.compile(r"( AND | OR )")
_TRUE, _FALSE = "attribute_not_exists(neverSet)", "attribute_exists(neverSet)"

Change = tuple[int, int, str]  # from which byte to which, and what stands there instead


class Mutant(NamedTuple):
    """A change of the bytes ``start`` to ``end`` of a module. ``lines`` are those of the statement that it is in;
    ``imported``: it runs when the module is imported, not when a function is called."""

    module: str
    start: int
    end: int
    text: str
    lines: tuple[int, int]
    imported: bool

    def source(self, before: str) -> str:
        """The module's source with the change."""
        data = before.encode()
        return (data[: self.start] + self.text.encode() + data[self.end :]).decode()

    def diff(self, before: str) -> str:
        """The change, as a unified diff with a line around it."""
        after = self.source(before).splitlines()
        lines = difflib.unified_diff(before.splitlines(), after, self.module, self.module, n=1, lineterm="")
        return "\n".join(list(lines)[2:])


def places(module: str, source: str) -> list[list[Mutant]]:
    """The places of a module that can be changed, in the order of the source, each with its alternatives."""
    return list(_Module(module, source).places())


def drawn(places_of: Mapping[str, Sequence[Sequence[Mutant]]], count: int, seed: int) -> dict[str, list[Mutant]]:
    """``count`` mutants, evenly over the names; of one with too few places all, and more of the others. At most one a
    place. The same seed draws the same of the same source."""
    shares = dict.fromkeys(places_of, 0)
    for _ in range(min(count, sum(map(len, places_of.values())))):
        shares[min((name for name in shares if shares[name] < len(places_of[name])), key=shares.__getitem__)] += 1
    chosen = {}
    for name, share in shares.items():
        dice = random.Random(f"{seed} {name}")
        picked = sorted(dice.sample(range(len(places_of[name])), share))
        chosen[name] = [dice.choice(places_of[name][index]) for index in picked]
    return chosen


class _Module:
    """One module's tree, and the bytes that its nodes stand at."""

    def __init__(self, module: str, source: str) -> None:
        self._module = module
        self._data = source.encode()
        self._tree = ast.parse(source)
        self._begins = [0]
        for line in self._data.split(b"\n"):
            self._begins.append(self._begins[-1] + len(line) + 1)

    def places(self) -> Iterator[list[Mutant]]:
        for statement in self._tree.body:
            whole = self._span(statement)
            before = ast.dump(ast.parse(self._data[slice(*whole)]))
            for place in self._of_block([statement], imported=True):
                # What is no change, or no Python, is left out. Parsing all of the module each time costs far more.
                real = [mutant for mutant in place if self._after(mutant, *whole) not in (None, before)]
                if real:
                    yield real

    def _after(self, mutant: Mutant, start: int, end: int) -> str | None:
        """The tree of a part of the module with the change; None: it has none."""
        text = self._data[start : mutant.start] + mutant.text.encode() + self._data[mutant.end : end]
        try:
            return ast.dump(ast.parse(text))
        except SyntaxError:
            return None

    def _of_block(self, block: Iterable[ast.stmt], *, imported: bool) -> Iterator[list[Mutant]]:
        for statement in block:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                if statement.name not in _UNCHANGED_FUNCTIONS:
                    defaults = [*statement.args.defaults, *statement.args.kw_defaults]
                    for changes in self._of_expressions(defaults):
                        yield self._mutants(changes, statement, imported)
                    yield from self._of_block(statement.body, imported=False)
                continue
            if isinstance(statement, ast.ClassDef):
                yield from self._of_block(statement.body, imported=imported)
                continue
            for changes in self._of_statement(statement):
                yield self._mutants(changes, statement, imported)
            for inner in ("body", "orelse", "finalbody"):
                yield from self._of_block(getattr(statement, inner, ()), imported=imported)
            for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
                yield from self._of_block(part.body, imported=imported)

    def _mutants(self, changes: Iterable[Change], statement: ast.stmt, imported: bool) -> list[Mutant]:
        lines = (statement.lineno, _end_of_head(statement))
        return [Mutant(self._module, *change, lines, imported) for change in changes]

    def _of_statement(self, statement: ast.stmt) -> Iterator[list[Change]]:
        """The places of a statement, without those of the statements in it."""
        match statement:
            case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Assert() | ast.Expr(value=ast.Constant()):
                return
            case ast.Expr(value=ast.Call(func=called)) if _FOR_PEOPLE.match(ast.unparse(called)):
                return
            case ast.Assign(targets=[ast.Name(id=name)]) if name.startswith("__") or _is_type(statement.value):
                return
            case ast.Raise():
                yield [self._instead(statement, "pass")]
                if isinstance(statement.exc, ast.Call):
                    shown = [part for part in statement.exc.args if not isinstance(part, ast.Constant)]
                    yield from self._of_expressions(shown)
                return
            case ast.Expr(value=ast.Call() | ast.Await()) | ast.AugAssign() | ast.Delete():
                yield [self._instead(statement, "pass")]
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield [self._instead(statement, "pass")]
            case ast.Return(value=ast.expr() as value) if not _is_none(value):
                yield [self._instead(statement, "return None")]
            case ast.Break():
                yield [self._instead(statement, "continue")]
            case ast.Continue():
                yield [self._instead(statement, "break")]
            case ast.If(test=test):
                if ast.unparse(test) == "TYPE_CHECKING":
                    return
                yield [self._instead(test, "True"), self._instead(test, "False")]
            case ast.While(test=test):
                yield [self._instead(test, "False")]
        match statement:
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                yield from self._of_expressions([value])
            case ast.With(items=items) | ast.AsyncWith(items=items):
                yield from self._of_expressions([item.context_expr for item in items])
            case ast.For(iter=iterated) | ast.AsyncFor(iter=iterated):
                yield from self._of_expressions([iterated])
            case ast.Match(subject=subject, cases=cases):
                yield from self._of_expressions([subject, *(case.guard for case in cases if case.guard)])
            case ast.Try() | ast.AnnAssign():
                pass
            case _:
                yield from self._of_expressions(ast.iter_child_nodes(statement))

    def _of_expressions(self, nodes: Iterable[ast.AST | None]) -> Iterator[list[Change]]:
        for node in nodes:
            match node:
                case ast.keyword(arg=name):
                    if name not in _UNCHANGED_KEYWORDS:
                        if name == "condition" and not isinstance(node.value, ast.Constant):
                            yield [self._instead(node.value, "None")]
                        yield from self._of_expressions([node.value])
                    continue
                case ast.comprehension(iter=iterated, ifs=conditions):
                    for condition in conditions:
                        yield [self._instead(condition, "True")]
                    yield from self._of_expressions([iterated, *conditions])
                    continue
                case ast.Call(func=called) if (name := ast.unparse(called)) in _UNCHANGED_CALLS or _FOR_PEOPLE.match(
                    name
                ):
                    continue
                case ast.Subscript(value=ast.Name(id=name)) if name in _GENERIC:
                    continue
                case ast.Lambda(body=body):
                    yield from self._of_expressions([body])
                    continue
                case ast.expr() if not isinstance(node, ast.JoinedStr) and not _is_type(node):
                    yield [*self._of_expression(node)]
                    yield from self._of_expressions(ast.iter_child_nodes(node))

    def _of_expression(self, node: ast.expr) -> Iterator[Change]:
        match node:
            case ast.Compare(left=left, ops=ops, comparators=others):
                for op, first, second in zip(ops, [left, *others], others, strict=False):
                    before, *alternatives = _COMPARED[type(op)]
                    yield from (self._between(first, second, before, after) for after in alternatives)
            case ast.BoolOp(op=op, values=values):
                word, other, without = ("and", "or", "True") if isinstance(op, ast.And) else ("or", "and", "False")
                start, end = self._span(values[0])[1], self._span(values[-1])[0]
                if len(values) == 2:
                    yield start, end, self._text(start, end).replace(word, other)
                yield from (self._instead(value, without) for value in values)
            case ast.UnaryOp(op=ast.Not() | ast.USub() as op):
                start, _ = self._span(node)
                yield start, start + (3 if isinstance(op, ast.Not) else 1), ""
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _COMPUTED:
                if not _is_text(left) and not _is_text(right):
                    yield self._between(left, right, *_COMPUTED[type(op)])
            case ast.IfExp(test=test):
                yield from (self._instead(test, always) for always in ("True", "False"))
            case ast.Call(func=called, args=arguments) if ast.unparse(called) not in _COMMUTATIVE and not any(
                isinstance(argument, ast.Starred) for argument in arguments
            ):
                for first, second in itertools.pairwise(arguments):
                    (start, first_end), (second_start, end) = self._span(first), self._span(second)
                    between = self._text(first_end, second_start)
                    yield start, end, self._text(second_start, end) + between + self._text(start, first_end)
            case ast.Constant(value=bool(value)):
                yield self._instead(node, repr(not value))
            case ast.Constant(value=int(value) | float(value)):
                yield from (self._instead(node, repr(other)) for other in (value + 1, value - 1))
            case ast.Constant(value=str(value)) if _CONDITION.search(value) and not _UPDATE.match(value):
                yield from (self._instead(node, f'"{other}"') for other in _weaker(value))
            case ast.Constant(value=str(value)) if _NAME.fullmatch(value):
                yield self._instead(node, f'"{value}x"')
            case ast.Constant(value=bytes(value)) if value:
                yield self._instead(node, repr(value + b"x"))

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start, end = self._begins[node.lineno - 1], self._begins[node.end_lineno - 1]
        return start + node.col_offset, end + node.end_col_offset

    def _text(self, start: int, end: int) -> str:
        return self._data[start:end].decode()

    def _instead(self, node: ast.expr | ast.stmt, text: str) -> Change:
        return *self._span(node), text

    def _between(self, first: ast.expr, second: ast.expr, before: str, after: str) -> Change:
        """Another operator between two operands; parentheses around them stay."""
        start, end = self._span(first)[1], self._span(second)[0]
        return start, end, self._text(start, end).replace(before, after, 1)


def _weaker(condition: str) -> Iterator[str]:
    """A condition that always holds, and those that lack one of its clauses. Names and values stay in use: DynamoDB
    refuses a write with others, and any test would notice."""
    yield f"({condition}) OR {_TRUE}"
    parts = _CLAUSE.split(condition)
    for index in range(0, len(parts) if len(parts) > 1 else 0, 2):
        clause, joined = parts[index], parts[1] if index == 0 else parts[index - 1]
        if clause.count("(") == clause.count(")"):
            nothing = f"({clause} OR {_TRUE})" if joined == " AND " else f"({clause} AND {_FALSE})"
            yield "".join([*parts[:index], nothing, *parts[index + 1 :]])


def _end_of_head(statement: ast.stmt) -> int:
    """The last line of a statement, without the statements in it."""
    body = getattr(statement, "body", None) or getattr(statement, "cases", None)
    if not body or isinstance(statement, ast.Match):
        return statement.lineno if body else statement.end_lineno or statement.lineno
    return max(statement.lineno, body[0].lineno - 1)


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _is_type(node: ast.AST | None) -> bool:
    """Whether it is an expression of types: ``A | B``, ``Literal[...]``."""
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_type(left) or _is_type(right) or (_is_class(left) and _is_class(right))
        case ast.Subscript(value=ast.Name(id=name)):
            return name in _GENERIC
        case ast.Constant(value=None):
            return False
    return False


def _is_class(node: ast.expr) -> bool:
    return isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node).rpartition(".")[2][:1].isupper()
