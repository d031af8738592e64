"""Pages of a website as a browser showed them after their scripts had run (table ai).

Access patterns
- the rendered pages of the last audit that rendered any: Get SITE#s, RENDERED. ``pages.load_page`` reads it in the same
  BatchGet as the rest of a page
"""

from typing import Final

from chalicelib.domain.page.rendered import Rendered, RenderedSample
from chalicelib.store import items, keys, shapes
from chalicelib.store.items import Item, Key
from chalicelib.store.transactions import Put

TABLE: Final = "ai"


def load(site_id: str) -> RenderedSample | None:
    """Load the sample of rendered pages. Returns None if no page was ever rendered."""
    item = items.get(TABLE, *keys.rendered_sample(site_id))
    return None if item is None else shapes.RENDERED_SAMPLE.unpack(item["data"])


def sample_key(site_id: str) -> Key:
    """Return table and key of the sample, for a BatchGet."""
    return (TABLE, *keys.rendered_sample(site_id))


def page_of(item: Item | None, url: str) -> Rendered | None:
    """Return the page of this address in the item that was read with ``sample_key``. Returns None if it is not in the
    sample."""
    pages = [] if item is None else shapes.RENDERED_SAMPLE.unpack(item["data"]).pages
    return next((page for page in pages if page.url == url), None)


def put(site_id: str, sample: RenderedSample) -> Put:
    """Return the write that replaces the sample."""
    pk, sk = keys.rendered_sample(site_id)
    return Put(TABLE, {"pk": pk, "sk": sk, "data": shapes.RENDERED_SAMPLE.pack(sample)})
