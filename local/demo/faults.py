"""The faults of the demo website, declared: which rule finds what, and where.

An audit of the faulty website must find exactly ``FAULTS``; the clean twin has none of them.
"""

from typing import Final

from local.demo.fault import SITE, Affected, Fault, declared
from local.demo.page_faults import PAGE_FAULTS
from local.demo.site_faults import SITE_FAULTS

__all__ = ["CAUSES", "FAULTS", "SITE"]

CAUSES: Final[tuple[Fault, ...]] = (*PAGE_FAULTS, *SITE_FAULTS)
FAULTS: Final[dict[str, Affected]] = declared(CAUSES)
