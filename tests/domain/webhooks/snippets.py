"""The snippets of docs/webhooks.md as programs that check the published vectors."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "webhooks.md").read_text(encoding="utf-8")
PUBLISHED: dict[str, Any] = json.loads((DOCS / "webhook-vectors.json").read_text(encoding="utf-8"))


def snippet(language: str) -> str:
    """The code block of a language, as the page for receivers has it."""
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


NODE = """
const given = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
for (const vector of given.vectors) {
  const body = Buffer.from(vector.bodyHex, "hex");
  const wrong = vector.signature.replace(/.$/, (digit) => (digit === "0" ? "1" : "0"));
  if (!isGenuine(given.secret, body, vector.signature) || isGenuine(given.secret, body, wrong)
      || isGenuine(given.secret, body, undefined)) { console.error(vector.name); process.exit(1); }
}
"""
PHP = """
$given = json_decode(stream_get_contents(STDIN), true);
foreach ($given['vectors'] as $vector) {
    $body = hex2bin($vector['bodyHex']);
    $good = is_genuine($given['secret'], $body, $vector['signature']);
    if (!$good || is_genuine($given['secret'], $body . ' ', $vector['signature'])) { exit(1); }
}
"""
GO = """package main

import ("crypto/hmac"; "crypto/sha256"; "encoding/hex"; "encoding/json"; "os")

%s
func main() {
	var given struct{ Secret string; Vectors []struct{ BodyHex, Signature string } }
	if json.NewDecoder(os.Stdin).Decode(&given) != nil { os.Exit(2) }
	for _, v := range given.Vectors {
		body, _ := hex.DecodeString(v.BodyHex)
		if !isGenuine(given.Secret, body, v.Signature) { os.Exit(1) }
		if isGenuine(given.Secret, append(body, ' '), v.Signature) { os.Exit(1) }
	}
}
"""


class Program(NamedTuple):
    """How a snippet is run: the command, the file's name and its source."""

    command: list[str]
    file: str
    source: str


PROGRAMS = {
    "javascript": Program(["node"], "snippet.js", snippet("javascript") + NODE),
    "php": Program(["php"], "snippet.php", "<?php\n" + snippet("php") + PHP),
    "go": Program(["go", "run"], "snippet.go", GO % snippet("go")),
}


def run(language: str, folder: Path) -> None:
    """Run the snippet against every vector, in ``folder``. Raises ``AssertionError`` when it disagrees."""
    program = PROGRAMS[language]
    file = folder / program.file
    file.write_text(program.source, encoding="utf-8")
    done = subprocess.run(
        [*program.command, str(file)],
        input=json.dumps(PUBLISHED),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
