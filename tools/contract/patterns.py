"""Whether the patterns of a document work in the languages for which clients are generated.

ECMA-262 is what JSON Schema wants; generators copy a pattern as it is. So a pattern has to be of
the part that all have, and each engine that is installed compiles it. The argument is the document.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

# Of ASCII, without what engines spell or read in ways of their own: `\u`, `\p`, `\x` and other
# escapes but those of signs and `\d \s \w`; look-around, names and comments in groups.
PORTABLE = re.compile(r"(?:[ -\[\]-~]|\\[dsw]|\\[^0-9A-Za-z])*")
SPECIAL_GROUP = re.compile(r"(?<!\\)\(\?(?!:)")


class Engine(NamedTuple):
    """A program that reads patterns, one a line, and writes those that it does not compile."""

    name: str
    tool: str
    file: str
    program: str
    run: tuple[str, ...]


RUBY = r"""
$stdin.set_encoding("UTF-8")
$stdin.each_line(chomp: true) do |pattern|
  Regexp.new(pattern)
rescue RegexpError => e
  puts e.message
end
"""

# With and without `u`: generators write either.
PHP = r"""<?php
while (($line = fgets(STDIN)) !== false) {
    $pattern = rtrim($line, "\n");
    foreach (["", "u"] as $flags) {
        if (@preg_match("~" . str_replace("~", "\\~", $pattern) . "~" . $flags, "") === false) {
            echo $pattern, ": ", error_get_last()["message"], "\n";
        }
    }
}
"""

GO = r"""
package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if _, err := regexp.Compile(lines.Text()); err != nil {
			fmt.Println(err)
		}
	}
}
"""

JAVA = r"""
import java.io.*;
import java.util.regex.*;

class Patterns {
    public static void main(String[] arguments) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line; (line = lines.readLine()) != null; ) {
            try {
                Pattern.compile(line);
            } catch (PatternSyntaxException error) {
                System.out.println(error.getMessage());
            }
        }
    }
}
"""

ENGINES = (
    Engine("Ruby", "ruby", "patterns.rb", RUBY, ("ruby", "-W0")),
    Engine("PHP (PCRE2)", "php", "patterns.php", PHP, ("php",)),
    Engine("Go (RE2)", "go", "patterns.go", GO, ("go", "run")),
    Engine("Java", "javac", "Patterns.java", JAVA, ("java",)),
)


def patterns_of(node: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    """All patterns, also those of properties that are called `pattern` themselves."""
    if isinstance(node, dict):
        if isinstance(node.get("pattern"), str):
            yield node["pattern"]
        for value in node.values():
            yield from patterns_of(value)
    elif isinstance(node, list):
        for value in node:
            yield from patterns_of(value)


def faults_of(patterns: list[str]) -> list[str]:
    """A line for each fault. Says in a line which engine is missing."""
    found = [
        f"{pattern}: not of the part that all engines have, .NET among them"
        for pattern in patterns
        if not PORTABLE.fullmatch(pattern) or SPECIAL_GROUP.search(pattern)
    ]
    for engine in ENGINES:
        if shutil.which(engine.tool) is None:
            print(f"{engine.tool} is missing: no pattern is compiled by {engine.name} here.")
            if os.environ.get("TOOLS_REQUIRED"):
                found.append(f"{engine.tool} is missing")
            continue
        found += [f"{engine.name}: {fault}" for fault in compiled(engine, patterns)]
    return found


def compiled(engine: Engine, patterns: list[str]) -> list[str]:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, engine.file)
        file.write_text(engine.program)
        done = subprocess.run(
            [*engine.run, str(file)],
            input="".join(f"{pattern}\n" for pattern in patterns),
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=300,
        )
    return done.stdout.splitlines() + ([done.stderr.strip()] if done.returncode else [])


def main(document: str) -> int:
    patterns = sorted(set(patterns_of(json.loads(Path(document).read_bytes()))))
    faults = faults_of(patterns)
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
