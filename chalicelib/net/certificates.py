"""Reads the expiry date of a server's certificate from its DER form.

Python's ssl module gives a certificate's dates only if it also trusts the certificate. Users need the dates of expired
and wrong certificates too. So the dates are read from the bytes: two levels of ASN.1 and a date.
"""

from datetime import UTC, datetime

_SEQUENCE = 0x30
_VERSION = 0xA0
_UTC_TIME = 0x17
_GENERALISED_TIME = 0x18


def _element(data: bytes, at: int) -> tuple[int, int, int]:
    """Return tag, start of the content and end of the content of the ASN.1 element at this position."""
    tag, length, start = data[at], data[at + 1], at + 2
    if length & 0x80:
        size = length & 0x7F
        length = int.from_bytes(data[start : start + size], "big")
        start += size
    if start + length > len(data):
        raise ValueError("the certificate ends early")
    return tag, start, start + length


def not_after(der: bytes) -> int | None:
    """Return the end of the certificate's validity (epoch seconds); None if the bytes are not a certificate."""
    try:
        _, inside, _ = _element(der, 0)
        _, at, _ = _element(der, inside)  # the signed part (tbsCertificate)
        tag, _, end = _element(der, at)
        if tag == _VERSION:
            at = end
        for _ in range(3):  # serial number, signature algorithm, issuer
            at = _element(der, at)[2]
        tag, at, _ = _element(der, at)
        if tag != _SEQUENCE:
            return None
        at = _element(der, at)[2]  # not before
        tag, start, end = _element(der, at)
        text = der[start:end].decode("ascii")
        if tag == _UTC_TIME:  # years 50 to 99 mean 1950 to 1999 (RFC 5280, 4.1.2.5.1)
            text = ("19" if int(text[:2]) >= 50 else "20") + text
        elif tag != _GENERALISED_TIME:
            return None
        return int(datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC).timestamp())
    except (ValueError, IndexError):
        return None
