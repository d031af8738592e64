"""Host names: the ASCII spelling by which hosts are compared, and the part of a host that identifies its owner."""

import re
import unicodedata
from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import unquote

_MAX_HOST_LENGTH = 253
_MAX_LABEL_LENGTH = 63
_MAX_WRITTEN_LENGTH = 4 * _MAX_HOST_LENGTH  # of a non-ASCII host, with soft hyphens; longer texts are not hosts
_ASCII_HOST = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
_PLAIN_NAME = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z][a-z0-9_-]{0,62}")  # cannot be an IPv4 spelling
_IPV4_PART = re.compile(r"[0-9]+|0x[0-9a-f]*")
_LAST_LABEL_IS_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_KEPT_AS_WRITTEN = frozenset("ßς\u200c\u200d")  # distinct in IDNA 2008, replaced in IDNA 2003
# Top-level domains of home and office networks, and those that do not exist on the internet.
_INNER_ENDS = frozenset(
    {
        "arpa",
        "corp",
        "home",
        "internal",
        "intranet",
        "invalid",
        "lan",
        "local",
        "localdomain",
        "localhost",
        "onion",
        "private",
        "test",
    }
)
_DOTS = str.maketrans({"\u3002": ".", "\uff0e": ".", "\uff61": "."})


def ascii_host(host: str) -> str | None:
    """Return the host as it is looked up and compared: lower case, punycode, IP addresses in their usual form.

    IPv6 addresses have brackets in input and result. A trailing dot is dropped. Every spelling of an IPv4 address that
    browsers accept (``0x7f.1``, ``2130706433``, ``127.1``) becomes the dotted form. Returns ``None`` if the text is not
    a host.
    """
    if len(host) <= _MAX_HOST_LENGTH and _PLAIN_NAME.fullmatch(host):
        return host
    return _ascii_host(host)


@lru_cache(maxsize=4096)
def _ascii_host(host: str) -> str | None:
    if host.startswith("["):
        if not host.endswith("]") or "%" in host:
            return None
        try:
            return f"[{IPv6Address(host[1:-1]).compressed}]"
        except AddressValueError:
            return None
    if "%" in host:
        host = unquote(host)
    if not host.isascii():
        if len(host) > _MAX_WRITTEN_LENGTH:  # normalising it would take time quadratic in its length
            return None
        mapped = _mapped_host(host)
        if mapped is None:
            return None
        host = mapped
    host = host.lower()
    if host.endswith("."):
        host = host[:-1]
    if len(host) > _MAX_HOST_LENGTH or not _ASCII_HOST.fullmatch(host):
        return None
    if _LAST_LABEL_IS_NUMBER.fullmatch(host):
        return _ipv4(host)
    return host


def _mapped_host(host: str) -> str | None:
    labels = []
    for label in unicodedata.normalize("NFKC", host).translate(_DOTS).split("."):
        folded = "".join(c if c in _KEPT_AS_WRITTEN else c.lower() if c == "ẞ" else c.casefold() for c in label)
        folded = unicodedata.normalize("NFKC", folded.replace("\u00ad", ""))
        if folded.isascii():
            labels.append(folded)
            continue
        if len(folded) > _MAX_LABEL_LENGTH:  # its punycode is longer still
            return None
        if any(unicodedata.category(c)[0] in "CZ" and c not in _KEPT_AS_WRITTEN for c in folded):
            return None
        labels.append("xn--" + folded.encode("punycode").decode("ascii"))
    return ".".join(labels)


def _ipv4(host: str) -> str | None:
    """Read an IPv4 address in any spelling of the WHATWG URL standard: 1 to 4 parts, decimal, octal or hex."""
    parts = host.split(".")
    if len(parts) > 4:
        return None
    numbers = []
    for part in parts:
        if not _IPV4_PART.fullmatch(part):  # int() takes signs and underscores too
            return None
        try:
            if part.startswith("0x"):
                numbers.append(int(part[2:] or "0", 16))
            elif len(part) > 1 and part.startswith("0"):
                numbers.append(int(part, 8))
            else:
                numbers.append(int(part))
        except ValueError:  # 8 and 9 are not octal digits
            return None
    last = numbers.pop()
    if any(number > 255 for number in numbers) or last >= 256 ** (4 - len(numbers)):
        return None
    value = last
    for position, number in enumerate(numbers):
        value += number << (8 * (3 - position))
    return str(IPv4Address(value))


def is_ip_address(host: str) -> bool:
    """Whether an ASCII host (from ``ascii_host``) is an IP address, not a name."""
    return host.startswith("[") or (host[-1:].isdigit() and _LAST_LABEL_IS_NUMBER.fullmatch(host) is not None)


def is_public_name(host: str) -> bool:
    """Whether an ASCII host is a name that may be on the public internet. The name is not looked up.

    Returns False for IP addresses, single labels and the top-level domains of internal networks.
    """
    return not is_ip_address(host) and "." in host and host.rpartition(".")[2] not in _INNER_ENDS


def without_www(host: str) -> str:
    """Return the host without a leading ``www.``: ``www.example.com`` and ``example.com`` are one website."""
    if host.startswith("www.") and host.find(".", 4) > 4:
        return host[4:]
    return host


@lru_cache(maxsize=4096)
def registrable_domain(host: str) -> str:
    """Return the part of a host that was registered (``shop.example.co.uk`` → ``example.co.uk``).

    If there is no such part (IP addresses, single labels, public suffixes), the host itself is returned.
    """
    name = ascii_host(host) or host.lower()
    if is_ip_address(name) or "." not in name:
        return name
    from publicsuffix2 import get_tld  # the list is large, so it is loaded at first use

    suffix = get_tld(name, strict=True) or name.rpartition(".")[2]  # a top-level domain that the list does not have
    if suffix == name:
        return name
    return f"{name[: -len(suffix) - 1].rpartition('.')[2]}.{suffix}"
