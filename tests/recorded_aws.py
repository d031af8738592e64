#!/usr/bin/env python3
"""Stands in for the command ``aws``: records its arguments, and answers like the real one.

``AWS_RECORD`` names a file that gets one JSON list of arguments a call; ``AWS_STACK`` says what the account knows of
the stack: ``none``, ``there``, or ``denied`` where the credentials may not ask.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import NoReturn

INLINE_BYTES = 51_200  # of a template that goes with the call


def option(name: str) -> str | None:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else None


def fail(text: str, status: int = 255) -> NoReturn:
    sys.stderr.write(f"\n{text}\n")
    sys.exit(status)


def package() -> None:
    template, bucket, output = option("--template-file"), option("--s3-bucket"), option("--output-template-file")
    if template is None or bucket is None or output is None:
        fail("aws: error: the following arguments are required: --template-file, --s3-bucket", 252)
    text = Path(template).read_text(encoding="utf-8")
    for archive in set(re.findall(r"CodeUri: (\./\S+)", text)):
        if not (Path(template).parent / archive).is_file():
            fail(f"Unable to upload artifact {archive} referenced by CodeUri parameter")
        text = text.replace(f"CodeUri: {archive}", f"CodeUri: s3://{bucket}/0123456789abcdef")
    Path(output).write_text(text, encoding="utf-8")


def describe_stacks() -> None:
    stack = option("--stack-name")
    if os.environ["AWS_STACK"] == "none":
        call = "An error occurred (ValidationError) when calling the DescribeStacks operation"
        fail(f"{call}: Stack with id {stack} does not exist", 254)
    if os.environ["AWS_STACK"] == "denied":
        fail("An error occurred (ExpiredToken) when calling the DescribeStacks operation: The security token", 254)
    sys.stdout.write(json.dumps({"Stacks": [{"StackName": stack, "StackStatus": "UPDATE_COMPLETE"}]}))


def deploy() -> None:
    text = Path(option("--template-file") or "").read_text(encoding="utf-8")
    if len(text.encode()) > INLINE_BYTES and option("--s3-bucket") is None:
        fail(
            "Templates with a size greater than 51,200 bytes must be deployed via an S3 Bucket. Please add the "
            "--s3-bucket parameter to your command. The local template will be copied to that S3 bucket and then "
            "deployed."
        )
    if "CodeUri: ./" in text:
        fail("An error occurred (ValidationError): 'CodeUri' is not a valid S3 Uri")
    if "CAPABILITY_IAM" not in sys.argv or "RoleName" in text:
        fail("An error occurred (InsufficientCapabilitiesException): Requires capabilities : [CAPABILITY_IAM]")
    given = {text.partition("=")[0] for text in sys.argv[sys.argv.index("--parameter-overrides") + 1 :]}
    needed = set() if os.environ["AWS_STACK"] == "there" else {"CursorSecret"}
    if needed - given:
        fail(f"An error occurred (ValidationError): Parameters: {sorted(needed - given)} must have values")


if __name__ == "__main__":
    with open(os.environ["AWS_RECORD"], "a", encoding="utf-8") as record:
        record.write(json.dumps(sys.argv[1:]) + "\n")
    {"package": package, "describe-stacks": describe_stacks, "deploy": deploy}[sys.argv[2]]()
