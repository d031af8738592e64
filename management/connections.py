"""The command group ``connections``: set, list, check, remove. For a workspace: set-workspace, list-workspace,
remove-workspace."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chalicelib.domain.accounts.rights import OPERATOR
from chalicelib.operations.errors import Refused
from management.arguments import Site, WorkspaceId, identifier
from management.credential_files import members, text_of
from management.output import show, timestamp

if TYPE_CHECKING:
    from chalicelib.domain.connections import Connections, Source, Writer
    from chalicelib.store.assistant_keys import AssistantKey

commands = typer.Typer(help="The connections of a website.", no_args_is_help=True)

Kind = Annotated[str, typer.Argument(metavar="KIND", help="cms, shop, search or analytics")]
Provider = Annotated[str, typer.Argument(metavar="PROVIDER", help="openai, anthropic, gemini or perplexity")]


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
        "indexNowSender": status.index_now_sender,
        "connectedAt": timestamp(writer.connected_at),
        "checkedAt": timestamp(writer.checked_at),
        "lastImportAt": timestamp(writer.imported_at),
        "failures": writer.failures,
        "error": writer.trouble,
    }


def _shown_source(source: "Source") -> dict[str, Any]:
    under_way = source.progress
    return {
        "id": source.kind,
        "property": source.name,
        "account": source.account,
        "broken": source.broken,
        "connectedAt": timestamp(source.connected_at),
        "lastImportAt": timestamp(source.imported_at),
        "rowsLastImport": source.imported_rows,
        "importing": None if under_way is None else {"daysDone": under_way.days, "days": under_way.of},
        "error": source.trouble,
    }


def _all(found: "Connections") -> dict[str, Any]:
    from chalicelib.domain.connections import SOURCE_KINDS, WRITER_KINDS

    writers = [_shown(writer) for kind in WRITER_KINDS if (writer := found.of(kind)) is not None]
    sources = [_shown_source(source) for kind in SOURCE_KINDS if (source := found.source(kind)) is not None]
    return {"items": [*writers, *sources]}


@commands.command("set")
def set_(
    site: Site,
    kind: Kind,
    file: Annotated[
        Path,
        typer.Option(
            help='JSON. cms: {"url": address of the website or connector, "code": the code that the connector '
            'shows}; shop: {"shop": "name.myshopify.com", "accessToken": the app\'s token}; search: '
            '{"property": "sc-domain:example.com", "credentials": the JSON from Google for a service account or '
            "a grant}; analytics: as for search, with the property's number"
        ),
    ],
    person: Annotated[
        str | None,
        typer.Option(
            "--person", parser=identifier, help="for cms and shop: id of the person that the website's key acts as"
        ),
    ] = None,
) -> None:
    """Connect a website to its CMS, its shop or its search data. For a shop, the website's key is shown. It is shown
    only once."""
    from chalicelib.operations import connections, sources
    from chalicelib.settings.core import core_settings

    if kind in ("search", "analytics"):
        given = members(file, "property", "credentials")
        connect = sources.connect_search if kind == "search" else sources.connect_analytics
        show(_shown_source(connect(OPERATOR, site, name=given["property"], credentials=given["credentials"])))
        return
    if kind not in ("cms", "shop"):
        raise Refused(
            "bad_connection", f"{kind!r} is not a kind of connection; the kinds are cms, shop, search and analytics."
        )
    if person is None:
        raise Refused("bad_option", "Name the person that the website's key acts as, with --person.")
    if kind == "shop":
        given = _credentials(file, "shop", "accessToken")
        linked = connections.link_shop(
            OPERATOR, site, shop=given["shop"], access_token=given["accessToken"], person_id=person
        )
        show(_shown(linked.writer) | {"websiteKey": linked.website_key})
    else:
        given = _credentials(file, "url", "code")
        base_url = core_settings().base_url
        writer = connections.pair(
            OPERATOR, site, url=given["url"], code=given["code"], person_id=person, base_url=base_url
        )
        show(_shown(writer))


@commands.command("list")
def list_(site: Site) -> None:
    """List the connections of a website."""
    from chalicelib.operations import websites

    show(_all(websites.existing(OPERATOR, site, "read").connections))


@commands.command()
def check(site: Site) -> None:
    """Check now whether the connections work."""
    from chalicelib.domain.connections import SOURCE_KINDS
    from chalicelib.operations import connections, sources, websites

    known = websites.existing(OPERATOR, site, "work").connections
    if known.writer is not None or not any(known.source(kind) for kind in SOURCE_KINDS):
        connections.check(OPERATOR, site)
    sources.check(OPERATOR, site)
    show(_all(websites.existing(OPERATOR, site, "work").connections))


@commands.command()
def remove(site: Site, kind: Kind) -> None:
    """Disconnect a website. For a CMS or shop, this deletes the secret and the key. For a source of data, it deletes
    the secret and the imported data."""
    from chalicelib.domain.connections import SOURCE_KINDS
    from chalicelib.operations import connections, sources

    (sources.remove if kind in SOURCE_KINDS else connections.remove)(OPERATOR, site, kind)
    show({"id": kind, "removed": True})


@commands.command("set-workspace")
def set_workspace(
    workspace: WorkspaceId,
    provider: Provider,
    file: Annotated[Path, typer.Option(help="a file with the API key, and nothing else")],
) -> None:
    """Store a workspace's own API key for an AI assistant. Samplings of its websites are then billed to that key."""
    from chalicelib.operations import assistant_keys
    from chalicelib.store.secrets import Secret

    show(_key(assistant_keys.put(OPERATOR, workspace, provider, Secret(text_of(file)))))


@commands.command("list-workspace")
def list_workspace(workspace: WorkspaceId) -> None:
    """List a workspace's own API keys for AI assistants. Only the last characters of each key are shown."""
    from chalicelib.operations import assistant_keys

    show({"items": [_key(one) for one in assistant_keys.list_all(OPERATOR, workspace)]})


@commands.command("remove-workspace")
def remove_workspace(workspace: WorkspaceId, provider: Provider) -> None:
    """Delete a workspace's own API key. The operator's key is used from then on, if there is one."""
    from chalicelib.operations import assistant_keys

    assistant_keys.remove(OPERATOR, workspace, provider)
    show({"id": provider, "removed": True})


def _key(kept: "AssistantKey") -> dict[str, Any]:
    return {"id": kept.provider, "hint": f"…{kept.hint}", "createdAt": timestamp(kept.created_at)}


def _credentials(file: Path, *names: str) -> dict[str, str]:
    """Read a JSON file that has at least the members ``names``, all of which must be texts.

    Refused: ``bad_credentials``.
    """
    given = members(file, *names)
    if not all(isinstance(given[name], str) for name in names):
        raise Refused("bad_credentials", f"In {file}, {' and '.join(map(repr, names))} must be texts.")
    return given
