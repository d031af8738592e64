"""Updates the template names of tested pages after an audit.

Failure policy: a test result that is stored at the same moment may get the earlier template name. The next audit
corrects this. A repeated call changes nothing.
"""

import logging
from collections.abc import Mapping

import msgspec

from chalicelib.store import speed
from chalicelib.store.transactions import Conflict, commit

_log = logging.getLogger(__name__)


def renew(site_id: str, templates: Mapping[str, str | None]) -> None:
    """Update the stored template of each tested page, if it has changed. ``templates``: the template of each page, by
    address."""
    for block in speed.load(site_id).blocks:
        renewed = [
            msgspec.structs.replace(one, template=templates.get(one.url, one.template))
            for one in block.results.values()
        ]
        if renewed == list(block.results.values()):
            continue
        try:
            commit([speed.put_results(site_id, block, renewed)])
        except Conflict:
            _log.info("a new speed result was stored while templates were being named", extra={"siteId": site_id})
