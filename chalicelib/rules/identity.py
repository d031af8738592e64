"""The owner of a website as a page states it: name, address and telephone number, from structured data and from the
text."""

import re
from typing import Final, NamedTuple

from chalicelib.domain.page.facts import PageFacts

_EXTENSION: Final = re.compile(r"(?:;|,|\bext\.?|\bx)\s*.*$", re.IGNORECASE)
_SHORTEST: Final = 6  # digits: emergency and service numbers are shorter
_COMPARED: Final = 9  # digits from the end: those before depend on how country and trunk codes are dialled


class Identity(NamedTuple):
    """The owner of the website, as one page names it.

    ``name``, ``url``, ``telephone``, ``address`` and ``same_as`` come from the page's structured data about an
    organization. The other members come from its text; ``site_telephones`` are in its header and footer.
    """

    name: str = ""
    url: str = ""
    telephone: str = ""
    address: str = ""
    same_as: tuple[str, ...] = ()
    site_telephones: tuple[str, ...] = ()
    telephones: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


NOTHING: Final = Identity()


def identity_of(facts: PageFacts) -> Identity:
    """Return the owner that the page names."""
    organization, contact = facts.organization, facts.contact
    if organization is None and contact is None:
        return NOTHING
    given = organization or {}
    profiles = given.get("sameAs", [])
    return Identity(
        name=str(given.get("name", "")),
        url=str(given.get("url", "")),
        telephone=str(given.get("telephone", "")),
        address=str(given.get("address", "")),
        same_as=tuple(profiles) if isinstance(profiles, list) else (profiles,),
        site_telephones=tuple(contact.site_telephones) if contact else (),
        telephones=tuple(contact.telephones) if contact else (),
        addresses=tuple(contact.addresses) if contact else (),
    )


def dialled(telephone: str) -> str:
    """Return the digits that all notations of a telephone number share. Returns "" if the text is not a full number.

    ``+44 1632 960144``, ``0044 (0)1632 960144`` and ``01632 960144`` give the same digits.
    """
    digits = re.sub(r"[^0-9]", "", _EXTENSION.sub("", telephone.replace("(0)", "")))
    digits = digits.lstrip("0")
    return digits[-_COMPARED:] if len(digits) >= _SHORTEST else ""
