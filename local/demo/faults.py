"""The declared faults of the demo website: which rule finds a fault, and at which addresses.

An audit of the faulty website must find exactly ``FAULTS``. The clean twin has none of them.
"""

from typing import Final

from local.demo.fault import SITE, Affected, Fault, declared
from local.demo.page_faults import PAGE_FAULTS
from local.demo.site_faults import SITE_FAULTS

__all__ = ["CAUSES", "FAULTS", "SITE"]

CAUSES: Final[tuple[Fault, ...]] = (*PAGE_FAULTS, *SITE_FAULTS)
FAULTS: Final[dict[str, Affected]] = declared(CAUSES)
