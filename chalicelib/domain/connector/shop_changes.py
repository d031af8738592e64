"""Plans the requests that apply a change to a field of an item of a shop.

A note about the change (``shop_notes``) is stored with the item. It is written in the same mutation as the value. If
the service sends a change again and the change's note exists, the answer is made from the note, even if an editor has
written another value since.
"""

from typing import Final, NamedTuple

from chalicelib.domain.connector.messages import MOST_VALUE, Change, Outcome
from chalicelib.domain.connector.shop import (
    BY_TYPE,
    FILE_SCOPE_MISSING,
    ID,
    KINDS,
    NOTES,
    REDIRECT_SCOPE_MISSING,
    SEO,
    Metafield,
    Node,
    Read,
    Written,
    missing_scopes,
)
from chalicelib.domain.connector.shop_notes import (
    CHANGED,
    CHANGING,
    NOT_OURS,
    SET,
    Mutation,
    Note,
    Undo,
    encoded,
    is_stale,
    metafield,
    note_of,
    noted,
    refused,
    undo_of,
    words,
)
from chalicelib.domain.crawl.urls import normalise

NO_CANONICAL: Final = (
    "Shopify makes canonical addresses itself and has no field for them: the theme would have to change."
)

_WRITE: Final = {
    "Product": f"""mutation WriteProduct($item: ProductUpdateInput!) {{
  written: productUpdate(product: $item) {{ item: product {{ __typename {SEO} }} userErrors {{ field message }} }}
}}""",
    "Collection": f"""mutation WriteCollection($item: CollectionInput!) {{
  written: collectionUpdate(input: $item) {{ item: collection {{ __typename {SEO} }} userErrors {{ field message }} }}
}}""",
}

_DELETE: Final = """mutation RemoveMetafields($metafields: [MetafieldIdentifierInput!]!) {
  written: metafieldsDelete(metafields: $metafields) { userErrors { field message } }
}"""


class Plan(NamedTuple):
    """The mutations that make a change, in order, and the outcome to report once all have succeeded."""

    mutations: list[Mutation]
    outcome: Outcome


def refused_at_once(change: Change) -> Outcome | None:
    """Return the answer to a change that needs no request to the shop; None if a request is needed."""
    if change.field == "canonical":
        return refused(NO_CANONICAL)
    if ID.fullmatch(change.cms_id or "") is None:
        return refused(f"There is no item {change.cms_id} in the shop.")
    return None


def planned(change: Change, found: Read) -> Outcome | Plan:
    """Compare a change with the shop's current value. Returns the outcome if nothing needs to be written, else a plan
    with mutations."""
    node, note = found.node, _noted(found.node)
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
        undo = undo_of(change.restore)
        reason = NOT_OURS if undo is None else None if _same(undo.left, before) else CHANGED
        value = None if undo is None else undo.value
    if reason is not None:
        return refused(reason)
    return _plan(change, node, Note(change.change_id, change.sequence, before, value))


def told(plan: Plan, field: str, answers: list[Written]) -> Outcome:
    """Return the outcome of a plan for a field, from the shop's answers to the plan's mutations."""
    errors = [error for answer in answers for error in answer.user_errors]
    if errors:
        return refused(CHANGING if is_stale(errors) else f"The shop refused the value: {words(errors)}")
    item = answers[-1].item
    if item is None or item.seo is None:
        return plan.outcome
    return _outcome(plan.outcome.before, item.stored(field))


def denied(change: Change) -> Outcome:
    """Make the answer to a change that the app may not write, because it lacks the scope for it."""
    if change.field == "alt":
        return refused(FILE_SCOPE_MISSING)
    if change.field == "redirect":
        return refused(REDIRECT_SCOPE_MISSING)
    kind = next(kind for kind in KINDS.values() if f"/{kind.type}/" in (change.cms_id or ""))
    return refused(missing_scopes([kind]))


def _known(change: Change, node: Node, note: Note) -> Outcome | Plan:
    """Answer a change that is already written. The removal of a metafield needs a second mutation, which may have
    failed. It is sent again if the metafield still holds the value before."""
    unfinished = note.value is None and note.before is not None and node.stored(change.field) == note.before
    if unfinished and not _in_seo(node, change.field):
        return Plan([_removal(change)], _outcome(note.before, None))
    return _outcome(note.before, note.value)


def _plan(change: Change, node: Node, note: Note) -> Plan:
    outcome, kept = _outcome(note.before, note.value), encoded(note)
    if _in_seo(node, change.field):
        member = "title" if change.field == "title" else "description"
        # An empty text removes the item's own value.
        item = {"id": change.cms_id, "seo": {member: note.value or ""}}
        beside = {"namespace": NOTES, "key": change.field, "type": "json", "value": kept}
        return Plan([Mutation(_WRITE[node.type], {"item": {**item, "metafields": [beside]}})], outcome)
    metafields = [noted(change.cms_id, change.field, note, node.note)]
    if note.value is not None:
        namespace, key, type_ = _PLACES[change.field]
        value = {"true": "1", "false": "0"}[note.value] if change.field == "noindex" else note.value
        metafields.append(metafield(change.cms_id, namespace, key, type_, value, _standing(node, change.field)))
    mutations = [Mutation(SET, {"metafields": metafields})]
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


def _removal(change: Change) -> Mutation:
    namespace, key, _ = _PLACES[change.field]
    return Mutation(_DELETE, {"metafields": [{"ownerId": change.cms_id, "namespace": namespace, "key": key}]})


def _outcome(before: str | None, after: str | None) -> Outcome:
    return Outcome(state="written", before=before, after=after, undo=encoded(Undo(before, after)))


def _noted(node: Node | None) -> Note | None:
    return None if node is None else note_of(node.note)


def _wrong(field: str, value: str | None) -> str | None:
    """Return why the value cannot be sent to the shop; None if it can."""
    if value is None:
        return None
    if field == "noindex":
        return None if value in ("true", "false") else "noindex is true or false."
    if not value.strip() or len(value) > MOST_VALUE or any(ord(character) < 32 for character in value):
        return f"A title or description is one line of text with at most {MOST_VALUE:,} characters."
    return None


def _same(one: str | None, other: str | None) -> bool:
    """Whether two values are equal, ignoring differences in white space: the shop trims what it stores."""
    return (one is None) == (other is None) and (one or "").split() == (other or "").split()


def _bare(url: str | None) -> str | None:
    return None if url is None else url.partition("://")[2].rstrip("/")
