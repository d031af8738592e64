"""Requests to Shopify's Admin GraphQL API, and the parts of its answers that the service reads."""

import re
from datetime import datetime
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta

from chalicelib.domain.connector.messages import MOST_VALUE, Status
from chalicelib.domain.content import PUBLISHED, ContentFields, ContentItem
from chalicelib.domain.crawl.urls import normalise
from chalicelib.domain.printable import printable

FIELDS: Final = ("title", "meta_description", "noindex")
FILE_SCOPES: Final = frozenset({"write_files", "write_images"})  # alt texts need one of these
REDIRECT_SCOPE: Final = "write_online_store_navigation"
FILE_SCOPE_MISSING: Final = "The shop's owner has to grant the scope write_files."
REDIRECT_SCOPE_MISSING: Final = f"The shop's owner has to grant the scope {REDIRECT_SCOPE}."
NOTES: Final = "$app:wos"  # the namespace of the notes, which no theme and no other app can read
MOST_NODES: Final = 250  # in one answer of Shopify
_LONGEST_NAME: Final = 1_000
ID: Final = re.compile(r"gid://shopify/(Product|Collection|Page)/[0-9]{1,20}")

# -- requests ----------------------------------------------------------------------------------------------

ABOUT: Final = """query About {
  shop { primaryDomain { url } }
  currentAppInstallation { accessScopes { handle } }
}"""

SEO: Final = "seo { title description }"
_HIDDEN: Final = 'hidden: metafield(namespace: "seo", key: "hidden") { value compareDigest }'
_OWN: Final = (
    'ownTitle: metafield(namespace: "global", key: "title_tag") { value compareDigest }'
    ' ownDescription: metafield(namespace: "global", key: "description_tag") { value compareDigest }'
)
_NOTE: Final = f'note: metafield(namespace: "{NOTES}", key: $key) {{ value compareDigest }}'
_LIST: Final = """query {name}($first: Int!, $after: String) {{
  {list}(first: $first, after: $after, sortKey: ID{filter}) {{
    pageInfo {{ hasNextPage endCursor }}
    nodes {{ __typename id title updatedAt {members} }}
  }}
}}"""

READ: Final = f"""query Read($id: ID!, $key: String!) {{
  shop {{ primaryDomain {{ url }} }}
  node(id: $id) {{
    __typename
    ... on Product {{ onlineStoreUrl {SEO} {_HIDDEN} {_NOTE} }}
    ... on Collection {{ handle {SEO} {_HIDDEN} {_NOTE} }}
    ... on Page {{ handle isPublished {_OWN} {_HIDDEN} {_NOTE} }}
  }}
}}"""


class Kind(NamedTuple):
    """A kind of object in a shop.

    - ``type``: its type in the API.
    - ``list``: the name of the list of such objects in the API.
    - ``folder``: the folder in the addresses of such objects.
    - ``document``: the query for a page of the list.
    - ``reads`` and ``writes``: the scopes for reading and for writing. The service needs one scope in ``reads`` and one
      in ``writes``.
    """

    type: str
    list: str
    folder: str
    document: str
    reads: frozenset[str]
    writes: frozenset[str]


def _kind(type_: str, list_: str, members: str, filter_: str, *scopes: str) -> Kind:
    document = _LIST.format(name=list_.capitalize(), list=list_, filter=filter_, members=members)
    reads, writes = ({f"{access}_{scope}" for scope in scopes} for access in ("read", "write"))
    return Kind(type_, list_, f"/{list_}/", document, frozenset(reads | writes), frozenset(writes))


_PUBLIC: Final = ', query: "published_status:published"'
KINDS: Final = {
    kind.list: kind
    for kind in (
        _kind("Product", "products", f"onlineStoreUrl {SEO} {_HIDDEN}", "", "products"),
        _kind("Collection", "collections", f"handle {SEO} {_HIDDEN}", _PUBLIC, "products"),
        _kind("Page", "pages", f"handle isPublished {_OWN} {_HIDDEN}", "", "content", "online_store_pages"),
    )
}
BY_TYPE: Final = {kind.type: kind for kind in KINDS.values()}


# -- answers -----------------------------------------------------------------------------------------------


class Answer(msgspec.Struct, frozen=True, rename="camel"):
    """The base class of the types for Shopify's answers. Objects cannot be changed. Member names are in camel case, and
    unknown members are ignored."""


class Metafield(Answer, frozen=True):
    """A value stored with an item, and its digest. A write that sends the digest fails if the value has changed."""

    value: str
    compare_digest: str


class Seo(Answer, frozen=True):
    title: str | None = None
    description: str | None = None


class Node(Answer, frozen=True, kw_only=True):
    """A product, collection or page."""

    type: str = msgspec.field(name="__typename")
    id: str = ""
    title: str = ""
    updated_at: Annotated[datetime, Meta(tz=True)] | None = None
    online_store_url: str | None = None
    handle: str = ""
    is_published: bool = True
    seo: Seo | None = None
    own_title: Metafield | None = None
    own_description: Metafield | None = None
    hidden: Metafield | None = None
    note: Metafield | None = None

    def stored(self, field: str) -> str | None:
        """Return the item's own value of a field, as text (``noindex`` as ``true`` or ``false``); None if it has
        none."""
        if field == "noindex":
            return None if self.hidden is None else ("true" if self.hidden.value.strip() == "1" else "false")
        seo = self.seo or Seo(_value(self.own_title), _value(self.own_description))
        return (seo.title if field == "title" else seo.description) or None

    def address(self, home: str) -> str | None:
        """Return the item's public address, normalised; None if it has none. ``home``: the shop's home address."""
        kind = BY_TYPE.get(self.type)
        if kind is None or not self.is_published:
            return None
        url = self.online_store_url if kind.type == "Product" else f"{home.rstrip('/')}{kind.folder}{self.handle}"
        return None if url is None else normalise(url)


class _Domain(Answer, frozen=True):
    url: str


class Shop(Answer, frozen=True):
    """The shop's own data."""

    primary_domain: _Domain


class _Scope(Answer, frozen=True):
    handle: str


class _Installation(Answer, frozen=True):
    access_scopes: list[_Scope]


class About(Answer, frozen=True):
    """The shop, and the scopes that its owner granted."""

    shop: Shop
    current_app_installation: _Installation

    @property
    def home(self) -> str:
        return self.shop.primary_domain.url

    @property
    def scopes(self) -> frozenset[str]:
        return frozenset(scope.handle for scope in self.current_app_installation.access_scopes)

    def status(self, version: str) -> Status:
        """Return the status of the connection, which says what the granted scopes allow the service to write.
        ``version``: the version of the API."""
        refused = [kind for kind in KINDS.values() if not kind.writes & self.scopes]
        fields = list(FIELDS) if len(refused) < len(KINDS) else []
        if FILE_SCOPES & self.scopes:
            fields.append("alt")
        redirects = REDIRECT_SCOPE in self.scopes
        writable = bool(fields) or redirects
        return Status(
            protocol=2,
            platform="shopify",
            version=version,
            site_url=self.home,
            writable=writable,
            reason=None if writable else missing_scopes(refused),
            fields=fields,
            redirects=redirects,
        )


class Read(Answer, frozen=True):
    shop: Shop
    node: Node | None = None


class PageInfo(Answer, frozen=True):
    """Whether a list has another page, and the cursor with which to request it."""

    has_next_page: bool
    end_cursor: Annotated[str, Meta(max_length=1_000)] | None = None


class Listed(Answer, frozen=True):
    """One page of a list."""

    page_info: PageInfo
    nodes: Annotated[list[Node], Meta(max_length=MOST_NODES)]


class UserError(Answer, frozen=True):
    message: str
    code: str | None = None


class Written(Answer, frozen=True):
    user_errors: list[UserError]
    item: Node | None = None


def content_item(node: Node, home: str) -> ContentItem | None:
    """Convert a product, collection or page to a content item. Returns None if the public cannot see it."""
    url = node.address(home)
    if url is None or ID.fullmatch(node.id) is None:
        return None
    noindex = node.stored("noindex")
    return ContentItem(
        cms_id=node.id,
        url=url,
        type=node.type.lower(),
        status=PUBLISHED,
        title=printable(node.title, _LONGEST_NAME),
        modified_at=None if node.updated_at is None else node.updated_at.timestamp(),
        fields=ContentFields(
            title=_short(node.stored("title")),
            meta_description=_short(node.stored("meta_description")),
            noindex=None if noindex is None else noindex == "true",
        ),
    )


def missing_scopes(kinds: list[Kind]) -> str:
    """List, in words, the scopes that the shop's owner has to grant."""
    wanted = sorted({min(kind.writes, key=len) for kind in kinds})
    return f"The shop's owner has to grant the scope {' and '.join(wanted)}."


def _value(found: Metafield | None) -> str | None:
    return None if found is None else found.value


def _short(value: str | None) -> str | None:
    return value if value is None or len(value) <= MOST_VALUE else None
