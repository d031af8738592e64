"""Lists all generated files with their current content, and those that are out of date."""

from pathlib import Path
from typing import Final

from documents import api, blocks, chalice, issues, metrics, openapi, rules, scale, settings, webhooks
from infra import parameters

ROOT: Final = Path(__file__).resolve().parent.parent
DOCS: Final = ROOT / "docs"

# Hand-written page -> the function that returns its generated parts.
PARTS: Final = {
    "api.md": api.parts,
    "operating.md": settings.parts,
    "runbooks.md": metrics.parts,
    "scale.md": scale.parts,
    "webhooks.md": webhooks.parts,
    "decisions/issues.md": issues.parts,
}


def stale(docs: Path = DOCS) -> dict[Path, str | None]:
    """Find the files below ``docs`` that are out of date: path -> current content.

    The content is None for the page of a removed rule, which must be deleted. Raises ``ValueError`` if a page's markers
    do not match its parts.
    """
    wanted = {docs / "rules" / name: content for name, content in rules.pages().items()}
    gone = [path for path in sorted((docs / "rules").glob("*.md")) if path not in wanted]
    wanted[docs / "openapi.json"] = openapi.text()
    wanted[ROOT / ".chalice" / "config.json"] = chalice.text()
    wanted[ROOT / "deploy.example.toml"] = parameters.example()
    for name, parts in PARTS.items():
        try:
            wanted[docs / name] = blocks.fill((docs / name).read_text("utf-8"), parts())
        except ValueError as error:
            raise ValueError(f"docs/{name}: {error}") from None
    return {path: content for path, content in wanted.items() if _read(path) != content} | dict.fromkeys(gone)


def write(docs: Path = DOCS) -> list[Path]:
    """Write or delete every file that is out of date. Returns their paths."""
    changed = stale(docs)
    for path, content in changed.items():
        if content is None:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(content, "utf-8")
    return list(changed)


def _read(path: Path) -> str | None:
    return path.read_text("utf-8") if path.is_file() else None
