"""Plans the requests that apply a change in a shop.

Shopify's Admin API has no ids of changes. So the service writes a note beside each field, in a metafield that only its
app sees, in the same mutation as the value: the id of the change, and the value before. When a change is sent again,
the service finds its note and answers from it, even if an editor has written since.
"""

from typing import Any, Final, NamedTuple

import msgspec

from chalicelib import typed
from chalicelib.domain.connector.messages import MOST_VALUE, Change, Outcome
from chalicelib.domain.connector.shop import (
    BY_TYPE,
    ID,
    KINDS,
    NOTES,
    SEO,
    Metafield,
    Node,
    Read,
    UserError,
    Written,
    missing_scopes,
)
from chalicelib.domain.crawl.urls import normalise
from chalicelib.domain.printable import printable

NO_CANONICAL: Final = (
    "Shopify makes canonical addresses itself and has no field for them: the theme would have to change."
)
NO_KEYS: Final = "Alt texts and redirects of a shop are not written."
CHANGED: Final = "The value was changed in the shop since."
CHANGING: Final = "The value was changed in the shop at this moment."
NOT_OURS: Final = "The service did not give this undo."
MOST_REASON: Final = 500  # characters

_WRITE: Final = {
    "Product": f"""mutation WriteProduct($item: ProductUpdateInput!) {{
  written: productUpdate(product: $item) {{ item: product {{ __typename {SEO} }} userErrors {{ field message }} }}
}}""",
    "Collection": f"""mutation WriteCollection($item: CollectionInput!) {{
  written: collectionUpdate(input: $item) {{ item: collection {{ __typename {SEO} }} userErrors {{ field message }} }}
}}""",
}
_SET: Final = """mutation WriteMetafields($metafields: [MetafieldsSetInput!]!) {
  written: metafieldsSet(metafields: $metafields) { userErrors { field message code } }
}"""
_DELETE: Final = """mutation RemoveMetafields($metafields: [MetafieldIdentifierInput!]!) {
  written: metafieldsDelete(metafields: $metafields) { userErrors { field message } }
}"""


class Note(msgspec.Struct, frozen=True):
    """The note about the last change written to a field: its id and sequence, the value before and the value written
    (None: no own value)."""

    id: str
    sequence: int
    before: str | None
    value: str | None


class _Undo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The text by which a change is taken back: the value before it, and the value it wrote."""

    value: str | None
    left: str | None


class Mutation(NamedTuple):
    """One request that writes."""

    document: str
    variables: dict[str, Any]


class Plan(NamedTuple):
    """The mutations of a change, in order, and the answer once they are done."""

    mutations: list[Mutation]
    outcome: Outcome


def refused_at_once(change: Change) -> Outcome | None:
    """The answer to a change that needs no request to the shop; None: it needs one."""
    if change.field == "canonical":
        return refused(NO_CANONICAL)
    if change.field in ("alt", "redirect"):
        return refused(NO_KEYS)
    if ID.fullmatch(change.cms_id or "") is None:
        return refused(f"There is no item {change.cms_id} in the shop.")
    return None


def refused(reason: str) -> Outcome:
    """The outcome of a change that is not made, with the reason."""
    return Outcome(state="refused", reason=printable(reason, MOST_REASON))


def planned(change: Change, found: Read) -> Outcome | Plan:
    """Decide how to apply a change to what the shop holds: an answer, or mutations."""
    node, note = found.node, _note(found.node)
    if node is not None and note is not None:
        if note.id == change.change_id:
            return _known(change, node, note)
        if change.sequence < note.sequence:
            return Outcome(state="superseded")
    if node is None or node.type not in BY_TYPE:
        return refused(f"There is no item {change.cms_id} in the shop.")
    if _bare(node.address(found.shop.primary_domain.url)) != _bare(normalise(change.url)):
        return refused(f"The item is not at {change.url} any more, or the public cannot see it.")
    before = node.stored(change.field)
    if before is not None and len(before) > MOST_VALUE:
        return refused(f"The value in the shop is longer than {MOST_VALUE:,} characters.")
    value, reason = change.value, _wrong(change.field, change.value)
    if change.restore is not None:
        undo = _undo_of(change.restore)
        reason = NOT_OURS if undo is None else None if _same(undo.left, before) else CHANGED
        value = None if undo is None else undo.value
    if reason is not None:
        return refused(reason)
    return _plan(change, node, Note(change.change_id, change.sequence, before, value))


def told(plan: Plan, field: str, answers: list[Written]) -> Outcome:
    """The outcome of a plan, by what the shop answered to its mutations."""
    errors = [error for answer in answers for error in answer.user_errors]
    if errors:
        said = " ".join(error.message for error in errors)
        return refused(CHANGING if is_stale(errors) else f"The shop refused the value: {said}")
    item = answers[-1].item
    if item is None or item.seo is None:
        return plan.outcome
    return _outcome(plan.outcome.before, item.stored(field))


def is_stale(errors: list[UserError]) -> bool:
    """Whether the value changed between our read and our write."""
    return any(error.code == "STALE_OBJECT" for error in errors)


def denied(change: Change) -> Outcome:
    """The answer where the app's access does not reach the item."""
    kind = next(kind for kind in KINDS.values() if f"/{kind.type}/" in (change.cms_id or ""))
    return refused(missing_scopes([kind]))


def _known(change: Change, node: Node, note: Note) -> Outcome | Plan:
    """The answer to a change that is already written. Removing a metafield needs a second mutation, which may have
    failed: it is sent again if the metafield still holds the value before."""
    unfinished = note.value is None and note.before is not None and node.stored(change.field) == note.before
    if unfinished and not _in_seo(node, change.field):
        return Plan([_removal(change)], _outcome(note.before, None))
    return _outcome(note.before, note.value)


def _plan(change: Change, node: Node, note: Note) -> Plan:
    outcome, kept = _outcome(note.before, note.value), msgspec.json.encode(note).decode()
    if _in_seo(node, change.field):
        member = "title" if change.field == "title" else "description"
        # An empty text takes the own value away.
        item = {"id": change.cms_id, "seo": {member: note.value or ""}}
        beside = {"namespace": NOTES, "key": change.field, "type": "json", "value": kept}
        return Plan([Mutation(_WRITE[node.type], {"item": {**item, "metafields": [beside]}})], outcome)
    metafields = [_metafield(change.cms_id, NOTES, change.field, "json", kept, node.note)]
    if note.value is not None:
        namespace, key, type_ = _PLACES[change.field]
        value = {"true": "1", "false": "0"}[note.value] if change.field == "noindex" else note.value
        metafields.append(_metafield(change.cms_id, namespace, key, type_, value, _standing(node, change.field)))
    mutations = [Mutation(_SET, {"metafields": metafields})]
    if note.value is None and note.before is not None:
        mutations.append(_removal(change))
    return Plan(mutations, outcome)


# Values that are not members of ``seo``: namespace, key and type of their metafield.
_PLACES: Final[dict[str, tuple[str, str, str]]] = {
    "title": ("global", "title_tag", "single_line_text_field"),
    "meta_description": ("global", "description_tag", "single_line_text_field"),
    "noindex": ("seo", "hidden", "number_integer"),
}


def _in_seo(node: Node, field: str) -> bool:
    return node.type in _WRITE and field != "noindex"


def _standing(node: Node, field: str) -> Metafield | None:
    return {"title": node.own_title, "meta_description": node.own_description, "noindex": node.hidden}[field]


def _metafield(
    owner: str | None, namespace: str, key: str, type_: str, value: str, standing: Metafield | None
) -> dict[str, str | None]:
    """Write a metafield only if it still holds what was read."""
    digest = None if standing is None else standing.compare_digest
    found = {"ownerId": owner, "namespace": namespace, "key": key, "type": type_, "value": value}
    return {**found, "compareDigest": digest}


def _removal(change: Change) -> Mutation:
    namespace, key, _ = _PLACES[change.field]
    return Mutation(_DELETE, {"metafields": [{"ownerId": change.cms_id, "namespace": namespace, "key": key}]})


def _outcome(before: str | None, after: str | None) -> Outcome:
    undo = msgspec.json.encode(_Undo(before, after)).decode()
    return Outcome(state="written", before=before, after=after, undo=undo)


def _note(node: Node | None) -> Note | None:
    if node is None or node.note is None:
        return None
    try:
        return typed.from_json(node.note.value, Note)
    except (ValueError, RecursionError):
        return None


def _undo_of(text: str) -> _Undo | None:
    try:
        return typed.from_json(text, _Undo)
    except (ValueError, RecursionError):
        return None


def _wrong(field: str, value: str | None) -> str | None:
    """Why the shop is not asked to take the value; None if it may be."""
    if value is None:
        return None
    if field == "noindex":
        return None if value in ("true", "false") else "noindex is true or false."
    if not value.strip() or len(value) > MOST_VALUE or any(ord(character) < 32 for character in value):
        return f"A title or description is one line of text with at most {MOST_VALUE:,} characters."
    return None


def _same(one: str | None, other: str | None) -> bool:
    """Whether two values are equal, ignoring spaces at the ends: the shop trims what it stores."""
    return (one is None) == (other is None) and (one or "").split() == (other or "").split()


def _bare(url: str | None) -> str | None:
    return None if url is None else url.partition("://")[2].rstrip("/")
