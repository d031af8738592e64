"""The snippets for receivers, run by each language itself."""

from pathlib import Path

import pytest

from tests.domain.webhooks import snippets
from tests.real import parts

pytestmark = pytest.mark.real

PACKAGES = {"javascript": "nodejs", "php": "php-cli", "go": "golang-go"}


@pytest.mark.parametrize("language", PACKAGES)
def test_the_receiver_verifies_every_published_signature_vector(language: str, tmp_path: Path) -> None:
    parts.debian(PACKAGES[language])
    snippets.run(language, tmp_path)
