"""A release: the version, its section of the release notes, and what operators must do."""

from pathlib import Path

import pytest

from infra import release

ROOT = Path(__file__).resolve().parents[1]
NOTES = """# Release notes

## 2.0.0 (2026-12-01)

### Added

- Something.

### Operators

- Nothing to do.

## 1.0.0 (2026-11-21)

### Operators

- Deploy it.
"""


def test_a_complete_release_has_notes_and_operator_steps() -> None:
    assert release.missing("2.0.0", NOTES) == []


@pytest.mark.parametrize(
    ("version", "notes", "step"),
    [
        (
            "2.1.0",
            NOTES,
            "begin with a section `## 2.1.0 (<date>)`, not `## 2.0.0 (2026-12-01)`",
        ),
        ("2.0.0", NOTES.replace("2.0.0 (2026-12-01)", "Unreleased"), "rename `## Unreleased` to `## 2.0.0 (<date>)`"),
        ("2.0.0", NOTES.replace("### Operators\n\n- Nothing", "### Fixed\n\n- Nothing"), "what operators must do"),
        ("2.0.0", NOTES.replace("- Nothing to do.\n", ""), "what operators must do"),
        ("2.0", NOTES, "VERSION: write major.minor.patch, such as 1.2.0, not `2.0`"),
        ("2.0.0", "# Release notes\n", "begin with a section `## 2.0.0 (<date>)`"),
    ],
)
def test_a_missing_part_of_a_release_is_reported_with_the_next_step(version: str, notes: str, step: str) -> None:
    assert any(step in line for line in release.missing(version, notes))


def test_the_changelog_has_a_section_for_the_version_or_for_unreleased() -> None:
    notes = (ROOT / "CHANGELOG.md").read_text("utf-8").replace("## Unreleased", f"## {release.VERSION} (2026-12-01)")
    assert release.missing(release.VERSION, notes) == []
