"""The WordPress plugin as PHP: it parses, and nothing in it is newer than PHP 7.4."""

import subprocess
from pathlib import Path

import pytest

from tests.real import parts
from tests.real.wordpress_subject import PLUGIN

pytestmark = pytest.mark.real

CHECK = Path(__file__).parent / "php74.php"
FILES = sorted(PLUGIN.rglob("*.php"))
NEWER = {
    "match": "$a = match (1) { 1 => 2 };",
    "nullsafe": "$a = $b?->c();",
    "attribute": "#[Pure]\nfunction f() {}",
    "enum": "enum A { case B; }",
    "readonly": "class A { public readonly int $b; }",
    "str_contains": "$a = str_contains('b', 'c');",
    "named argument": "f(limit: 1);",
    "union type": "function f(int|string $a) {}",
    "union return": "function f(): int|false {}",
    "mixed": "function f(mixed $a) {}",
    "static": "class A { function f(): static {} }",
    "promotion": "class A { function __construct(private int $a) {} }",
    "comma": "function f($a,) {}",
    "closure": "$f = static function ($a) use ($b): int|string { };",
    "arrow": "$f = fn(int|string $a) => 1;",
    "catch": "try { f(); } catch (Exception) { }",
    "throw": "$a = $b ?? throw new Exception();",
    "object class": "$a = $b::class;",
    "new": "function f($a = new B()) {}",
}
OLD = """
use function strlen;
class A extends B {
    const ALL = ['a' => 1];
    public ?string $typed = null;
    public function __construct(?int $a = null, array $b = [1, 2], &$c = null, string ...$d) {}
    private static function f(int $a): ?string { return $this->match ?? static::ALL['a'] ? 'x' : $a | 1; }
}
$f = static fn(array $a): bool => isset($a['b']) || $a::ALL;
switch ($a) { case 'b': throw new Exception(); default: f($a ? $b : $c, [1, 2,],); }
try { f(); } catch (A | B $error) { if (1) throw $error; }
"""


def _php(*arguments: str) -> "subprocess.CompletedProcess[str]":
    parts.debian("php-cli")
    return subprocess.run(["php", *arguments], capture_output=True, text=True, check=False)


def test_every_php_file_of_the_plugin_parses() -> None:
    assert len(FILES) > 20
    for file in FILES:
        done = _php("-l", str(file))
        assert done.returncode == 0, done.stdout


def test_the_plugin_uses_only_syntax_of_php_7_4() -> None:
    done = _php(str(CHECK), *map(str, FILES))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("name", NEWER)
def test_the_check_finds_syntax_newer_than_php_7_4(name: str, tmp_path: Path) -> None:
    file = tmp_path / "newer.php"
    file.write_text(f"<?php\n{NEWER[name]}\n")
    done = _php(str(CHECK), str(file))
    assert done.returncode == 1 and done.stdout.startswith(f"{file}:"), done


def test_the_check_accepts_php_7_4_syntax(tmp_path: Path) -> None:
    file = tmp_path / "old.php"
    file.write_text(f"<?php\n{OLD}\n")
    done = _php(str(CHECK), str(file))
    assert (done.returncode, done.stdout) == (0, ""), done


def test_every_user_facing_text_can_be_translated() -> None:
    """Sentences outside ``__()`` and similar functions belong to the protocol, which only machines read."""
    domain = "'wos-connector'"
    for file in FILES:
        for line in file.read_text(encoding="utf-8").splitlines():
            for call in ("__(", "esc_html__(", "esc_html_e(", "_e("):
                if f" {call}" in line or f"({call}" in line:
                    assert domain in line, f"{file.name}: {line.strip()}"
