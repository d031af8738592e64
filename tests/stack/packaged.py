"""The template that is deployed, and what CloudFormation makes of it."""

import copy
import shutil
from pathlib import Path
from typing import Any, Final

import yaml
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator

from infra.package import make_template

ROOT: Final = Path(__file__).resolve().parent.parent.parent
BUCKET, ARCHIVE = "templates-of-ours", "deployment.zip"

Json = dict[str, Any]


def package(folder: Path) -> Path:
    """What ``make package`` builds in the folder ``out`` of this one, without the packages that the app needs: the
    template is the same."""
    for name in ("chalicelib", ".chalice"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "deployments"))
    shutil.copy(ROOT / "app.py", folder)
    (folder / "requirements.txt").touch()
    (folder / "out").mkdir()
    make_template(folder / "out", folder)
    return folder / "out"


def read(package: Path) -> Json:
    """The template in the form that is written by ``package``."""
    content: Json = yaml.safe_load((package / "sam.yaml").read_text(encoding="utf-8"))
    return content


def transformed(template: Json) -> Json:
    """The template after the transformation of serverless resources: plain resources, as CloudFormation creates
    them. The archive lies in a bucket, as ``make deploy`` puts it there."""
    given = copy.deepcopy(template)
    for resource in given["Resources"].values():
        if resource["Type"] == "AWS::Serverless::Function":
            resource["Properties"]["CodeUri"] = f"s3://{BUCKET}/{ARCHIVE}"
    found: Json = Translator({}, Parser()).translate(given, parameter_values={})
    return found
