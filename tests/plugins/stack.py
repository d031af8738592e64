"""``TARGET=stack``: the tables and queues of this run are those of the packaged template, created by CloudFormation.

Without it they are made from ``infra/template.yaml``, as in the local service. The template is packaged
once for all processes of a run.
"""

import logging
import os
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import pytest

TARGETS: Final = ("embedded", "stack")
_PACKAGE: Final = "PACKAGE_OF_THE_STACK"  # where the processes of a run find the template


def target() -> str:
    """The value of ``TARGET``."""
    return os.environ.get("TARGET") or TARGETS[0]


@lru_cache(maxsize=1)
def template() -> dict[str, Any]:
    """The packaged template, transformed."""
    from tests.stack import packaged

    return packaged.transformed(packaged.read(Path(os.environ[_PACKAGE])))


def pytest_configure(config: pytest.Config) -> None:
    """Packages the template, and makes tables and queues from it."""
    if target() not in TARGETS:
        raise pytest.UsageError(f"TARGET is {target()!r}; there are {', '.join(TARGETS)}")
    if target() != "stack":
        return
    from management import template as from_source
    from tests.stack import created, packaged

    if _PACKAGE not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="stack-")
        config.add_cleanup(folder.cleanup)
        os.environ[_PACKAGE] = str(packaged.package(Path(folder.name)))
        config.add_cleanup(lambda: os.environ.pop(_PACKAGE))
    # Alarms are what moto leaves out.
    config.addinivalue_line("filterwarnings", "ignore:Tried to parse AWS.*Alarm")
    logging.getLogger("moto").setLevel(logging.ERROR)
    os.environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    from_source.create_all = lambda dynamodb, sqs: created.create()
