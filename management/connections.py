"""``connections``: set, list, check, remove."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.connections import Connections, Writer

MOST_BYTES = 4_000  # of a file of credentials

commands = typer.Typer(help="What a website is connected to.", no_args_is_help=True)

SiteId = Annotated[str, typer.Argument(metavar="SITE", help="the website's id")]
Kind = Annotated[str, typer.Argument(metavar="KIND", help="cms or shop")]


def _shown(writer: "Writer") -> dict[str, Any]:
    status = writer.status
    return {
        "id": writer.kind,
        "url": writer.base_url,
        "platform": status.platform,
        "version": status.version,
        "writable": writer.writable,
        "reason": writer.reason,
        "fields": list(status.fields),
        "files": list(status.files),
        "seoPlugin": status.seo_plugin,
        "pageCaches": list(status.page_caches),
        "robotsFile": status.robots_file,
        "connectedAt": timestamp(writer.connected_at),
        "checkedAt": timestamp(writer.checked_at),
        "lastImportAt": timestamp(writer.imported_at),
        "failures": writer.failures,
        "error": writer.trouble,
    }


def _all(found: "Connections") -> dict[str, Any]:
    from chalicelib.domain.connections import WRITER_KINDS

    return {"items": [_shown(writer) for kind in WRITER_KINDS if (writer := found.of(kind)) is not None]}


@commands.command("set")
def set_(
    site: SiteId,
    kind: Kind,
    file: Annotated[
        Path,
        typer.Option(
            help='JSON. cms: {"url": of the website or connector, "code": that it shows}; '
            'shop: {"shop": "name.myshopify.com", "accessToken": of the app}'
        ),
    ],
    person: Annotated[str, typer.Option("--person", help="id of the person whom the website's key acts as")],
) -> None:
    """Connect a website to its CMS or shop. A shop's website key is shown here, and only once."""
    from chalicelib.operations import connections
    from chalicelib.settings.core import core_settings

    if kind == "shop":
        given = _credentials(file, "shop", "accessToken")
        linked = connections.link_shop(
            OPERATOR, site, shop=given["shop"], access_token=given["accessToken"], person_id=person
        )
        show(_shown(linked.writer) | {"websiteKey": linked.website_key})
    elif kind == "cms":
        given = _credentials(file, "url", "code")
        base_url = core_settings().base_url
        writer = connections.pair(
            OPERATOR, site, url=given["url"], code=given["code"], person_id=person, base_url=base_url
        )
        show(_shown(writer))
    else:
        raise Refused("bad_connection", f"{kind!r} is no connection; there are cms and shop.")


@commands.command("list")
def list_(site: SiteId) -> None:
    """List what a website is connected to."""
    from chalicelib.operations import websites

    show(_all(websites.existing(OPERATOR, site, "read").connections))


@commands.command()
def check(site: SiteId) -> None:
    """Ask now whether the connections work."""
    from chalicelib.operations import connections

    show(_all(connections.check(OPERATOR, site)))


@commands.command()
def remove(site: SiteId, kind: Kind) -> None:
    """Disconnect a website: its key for the CMS or shop is revoked, the secret forgotten."""
    from chalicelib.operations import connections

    connections.remove(OPERATOR, site, kind)
    show({"id": kind, "removed": True})


def _credentials(file: Path, *members: str) -> dict[str, str]:
    """What a file says of ``members``, all of them texts. Refused: ``bad_credentials``."""
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise Refused("bad_credentials", f"{file} cannot be read: {error.strerror}.") from None
    try:
        given = json.loads(raw) if len(raw) <= MOST_BYTES else None
    except ValueError:
        given = None
    if not isinstance(given, dict) or not all(isinstance(given.get(name), str) for name in members):
        raise Refused(
            "bad_credentials",
            f"{file} has to be JSON with {' and '.join(map(repr, members))}, both texts, "
            f"and at most {MOST_BYTES:,} bytes.",
        )
    return given
