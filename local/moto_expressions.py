"""Caches parsed and checked expressions of moto's DynamoDB, because most requests repeat an expression with other
values.

The tree of a condition is cached, and each request fills in its values. The tree of an update is cached after all
checks that do not depend on the item or the values. The other checks of moto run on a copy of the tree, in moto's
order.
"""

from functools import cache, lru_cache
from typing import Any

import orjson
from moto.core.exceptions import JsonRESTError
from moto.dynamodb import responses as dynamodb_responses
from moto.dynamodb.comparisons import (
    AttributeValue,
    ConditionExpressionParser,
    Func,
    Op,
    OpDefault,
    Operand,
)
from moto.dynamodb.models.dynamo_type import Item
from moto.dynamodb.models.table import Table
from moto.dynamodb.parsing import key_condition_expression
from moto.dynamodb.parsing.ast_nodes import (  # type: ignore[attr-defined]
    DepthFirstTraverser,
    Expression,
    Node,
    UpdateExpressionFunction,
)
from moto.dynamodb.parsing.expressions import UpdateExpressionParser  # type: ignore[attr-defined]
from moto.dynamodb.parsing.validators import (
    ActionCountValidator,
    OverlappingPathsValidator,
    UpdateExpressionValidator,
    UpdateHashRangeKeyValidator,
)
from werkzeug.exceptions import HTTPException

KEPT = 1024  # expressions

Names = tuple[tuple[str, str], ...]

# --------------------------------------------------------------------------------------------------- conditions


class _Parser(ConditionExpressionParser):
    """moto's parser without values: the node of a value contains its placeholder."""

    node: Any

    def _lookup_expression_attribute_value(self, name: str) -> dict[str, str]:
        return {"S": name}

    def _make_op_condition(self, node: Any) -> Any:
        self.node = node
        return None


@lru_cache(maxsize=KEPT)
def _parsed(expression: str, names: Names) -> tuple[Any, list[str], list[str]]:
    """Parse a condition. Returns its tree, and the placeholders of names and values in it."""
    parser = _Parser(expression, dict(names), None)
    _moto_parse(parser)
    return parser.node, parser.expr_attr_names_found, parser.expr_attr_values_found


def _parse(self: ConditionExpressionParser) -> Op | Func:
    if not self.condition_expression:
        return OpDefault(None, None)  # type: ignore[arg-type]
    node, names, values = _parsed(self.condition_expression, tuple((self.expression_attribute_names or {}).items()))
    self.expr_attr_names_found.extend(names)
    self.expr_attr_values_found.extend(values)
    return self._make_op_condition(node)


def _make_operand(self: ConditionExpressionParser, node: Any) -> Operand:
    if node.kind == self.Kind.EXPRESSION_ATTRIBUTE_VALUE:
        return AttributeValue(self._lookup_expression_attribute_value(node.text))
    return _moto_operand(self, node)


# --------------------------------------------------------------------------------------------------- keys

Keys = tuple[list[tuple[str, Any]], list[tuple[str, str, list[Any]]], list[str]]


def keys_of(
    key_condition_expression: str,
    expression_attribute_values: dict[str, Any],
    expression_attribute_names: dict[str, str],
    schema: list[dict[str, str]],
) -> Keys:
    """Parse the key condition of a query like moto's own function, but parse each expression only once."""
    values = expression_attribute_values
    if not isinstance(values, dict) or any(value == {"S": ""} for value in values.values()):
        written: Keys = _moto_keys(key_condition_expression, values, expression_attribute_names, schema)
        return written
    hashes, ranges, used = _parsed_keys(
        key_condition_expression,
        tuple(values),
        tuple((expression_attribute_names or {}).items()),
        tuple((key["AttributeName"], key["KeyType"]) for key in schema),
    )

    def value_of(found: dict[str, str] | str) -> Any:
        return values.get(found["S"], found) if isinstance(found, dict) else found

    return (
        [(name, value_of(value)) for name, value in hashes],
        [(name, comparison, [value_of(value) for value in found]) for name, comparison, found in ranges],
        list(used),
    )


@lru_cache(maxsize=KEPT)
def _parsed_keys(expression: str, values: tuple[str, ...], names: Names, schema: Names) -> Keys:
    """Parse a key condition in which each value is its own placeholder."""
    keys = [{"AttributeName": name, "KeyType": kind} for name, kind in schema]
    parsed: Keys = _moto_keys(expression, {name: {"S": name} for name in values}, dict(names), keys)
    return parsed


# --------------------------------------------------------------------------------------------------- updates

# The results of these checks depend only on the expression, its names and the table's keys.
_SETTLED = (ActionCountValidator, OverlappingPathsValidator, UpdateHashRangeKeyValidator)


class _Settled(UpdateExpressionValidator):
    def get_ast_processors(self) -> list[Any]:
        return [one for one in super().get_ast_processors() if isinstance(one, _SETTLED)]


class _Remaining(UpdateExpressionValidator):
    def __init__(self, tree: Node, names: dict[str, str], values: dict[str, Any], item: Item, table: Table) -> None:
        self.expression_attribute_names = names
        self.expression_attribute_values = values
        self.item = item
        self.table = table
        self.processors = self.get_ast_processors()
        self.node_to_validate = _copied(tree)

    def get_ast_processors(self) -> list[Any]:
        return [one for one in super().get_ast_processors() if not isinstance(one, _SETTLED)]


class _Keys:
    """Stands for a table in checks whose result is cached: it has only the table's keys."""

    def __init__(self, keys: tuple[str, ...]) -> None:
        self.table_key_attrs = list(keys)
        self.attr: list[dict[str, str]] = []
        self.attribute_keys: list[str] = []


@lru_cache(maxsize=KEPT)
def _settled(expression: str, names: Names, keys: tuple[str, ...]) -> Node:
    tree = UpdateExpressionParser.make(expression)
    nothing: Any = None
    table: Any = _Keys(keys)
    return _Settled(tree, dict(names), {}, nothing, table).validate()


def update_tree(expression: str, names: dict[str, str], values: dict[str, Any], item: Item, table: Table) -> Node:
    """Return the tree of an update expression, checked and ready for use on the item."""
    tree = _settled(expression, tuple(names.items()), tuple(table.table_key_attrs))
    checked = _Remaining(tree, names, values, item, table).validate()
    checked.normalize()
    return checked


def _copied(node: Node, parent: Node | None = None) -> Node:
    """Copy a tree. Its leaves are texts and numbers."""
    copy: Node = object.__new__(type(node))
    copy.__dict__.update(node.__dict__)
    copy.parent = parent
    if node.children is not None:
        copy.children = [_copied(child, copy) if _is_node(type(child)) else child for child in node.children]  # type: ignore[arg-type]
    return copy


@cache
def _is_node(kind: type) -> bool:
    return issubclass(kind, Node)


@cache
def _is_nested(kind: type) -> bool:
    return issubclass(kind, Expression | UpdateExpressionFunction)


def _find_clauses(self: Node, clause_types: list[type]) -> list[Node]:
    found = []
    for child in self.children or ():
        kind = type(child)
        if kind in clause_types:
            found.append(child)
        elif _is_nested(kind):  # type: ignore[arg-type]
            found += _find_clauses(child, clause_types)
    return found


@cache
def _first_of(kind: type, wanted: tuple[type, ...]) -> type | None:
    return next((one for one in wanted if issubclass(kind, one)), None)


def _traverse(self: DepthFirstTraverser, node: Any, child_id: int = -1) -> Any:
    """Traverse the tree like moto's own method, but look up the processors of each class of nodes only once."""
    processing = self._processing_map()
    wanted = tuple(processing)
    hooked = type(self).pre_processing_of_child is not DepthFirstTraverser.pre_processing_of_child

    def process(node: Any, child_id: int) -> Any:
        if not _is_node(type(node)):  # type: ignore[arg-type]
            return node
        parent = node.parent
        if node.children is not None:
            for number, child in enumerate(node.children):
                if hooked:
                    self.pre_processing_of_child(node, number)
                process(child, number)
        found = _first_of(type(node), wanted)  # type: ignore[arg-type]
        if found is not None:
            node = processing[found](node)
            node.parent = parent
            if parent:
                parent.children[child_id] = node
        return node

    return process(node, child_id)


# ------------------------------------------------------------------------------------------------ patches


def _same(self: Item, _: object) -> Item:
    return self


def _init_error(self: JsonRESTError, error_type: str, message: str, _: str = "", **__: Any) -> None:
    """Make an error like moto's own method, but only as JSON. moto would also write each error as XML."""
    HTTPException.__init__(self)
    self.error_type, self.message = error_type, message
    self.description = orjson.dumps({"__type": error_type, "message": message}).decode()
    self.content_type = "application/json"


_moto_keys: Any = key_condition_expression.parse_expression
_moto_parse, _moto_operand = ConditionExpressionParser.parse, ConditionExpressionParser._make_operand


def apply() -> None:
    """Patch moto's classes. ``moto_tables.apply`` calls this once in a process."""
    UpdateExpressionParser.make = lru_cache(maxsize=KEPT)(UpdateExpressionParser.make)
    responses: Any = dynamodb_responses
    responses.parse_expression = keys_of
    parser: Any = ConditionExpressionParser
    parser.parse, parser._make_operand = _parse, _make_operand
    traverser: Any = DepthFirstTraverser
    traverser.traverse_node_recursively = _traverse
    node: Any = Node
    node.find_clauses = _find_clauses
    error: Any = JsonRESTError
    error.__init__ = _init_error
    item: Any = Item
    item.__deepcopy__ = _same  # stored items never change
