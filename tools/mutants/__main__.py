"""Plants random small faults, one at a time, and counts how many the tests find.

    make mutants                 # 200 of them; COUNT=, SEED=, ONLY=src/adsvc/services
    make mutants MAP=1           # records anew which tests run which lines (ten minutes)

Each fault is planted in a copy of the checkout and looked for by tests that run its line: first
by those of `make test`, then by the heavy ones, which CI runs too. A fault of the storefront is
looked for by its unit tests, then in the browser. What nothing finds is listed to be read.

Why a tool of our own: mutmut and cosmic-ray change neither SQL in strings nor TypeScript, and
neither chooses tests by line for a suite whose database and application live for a session.
"""

import argparse
import ast
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from coverage import CoverageData
from mutations import Mutation, applied, of_python, of_typescript

from adsvc_ops.embedded import EmbeddedPostgres

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".mutants"
PYTHON = ROOT / ".venv/bin/python"

SUBJECTS = (
    "src/adsvc/services",
    "src/adsvc/repositories",
    "src/adsvc/api",
    "src/adsvc/worker",
    "web/src/data",
)

QUICK = "not drill and not heavy and not large"
HEAVY = "heavy and not drill and not large"

# More tests of one line seldom find more; beyond these they are drawn at random.
MOST_QUICK, MOST_HEAVY = 150, 40

TEST_SECONDS = 400

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

GOALS = {"quick": 0.60, "ci": 0.85}


@dataclass
class Planted:
    """A fault, and what found it: `quick`, `ci` or, if nothing did, None."""

    path: str
    line: int
    before: str
    after: str
    found_by: str | None = None
    tests: int = 0
    mutation: Mutation = field(default=Mutation(0, 0, 0, ""), repr=False)


def main() -> int:
    options = _options()
    KEPT.mkdir(exist_ok=True)
    if options.map or not (KEPT / "tests.json").exists():
        _make_map()
    chance = random.Random(options.seed)  # noqa: S311 - a draw that can be repeated
    planted = _drawn(options.only or SUBJECTS, options.count, chance)
    trees: SimpleQueue[Path] = SimpleQueue()
    with (
        TemporaryDirectory(prefix="adsvc-") as directory,
        EmbeddedPostgres(Path(directory) / "postgres", options=FAST) as postgres,
        ThreadPoolExecutor(options.jobs) as threads,
    ):
        for number in range(options.jobs):
            trees.put(_copy(KEPT / f"tree{number}"))

        def examine(fault: Planted) -> None:
            tree = trees.get()
            try:
                _examine(fault, tree, postgres.url, chance)
            finally:
                trees.put(tree)
            print(_line(fault), flush=True)

        list(threads.map(examine, planted))
    return _report(planted)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--map", action="store_true")
    return parser.parse_args()


def _make_map() -> None:
    environment = {
        **os.environ,
        "COVERAGE_FILE": str(KEPT / "coverage"),
        "PYTHONPATH": str(Path(__file__).parent),
    }
    for old in KEPT.glob("coverage*"):
        old.unlink()
    subprocess.run(
        (
            *(PYTHON, "-m", "coverage", "run", "-m", "pytest", "-q", "-n", "2"),
            *("--dist", "loadgroup", "-p", "contexts", "-m", f"({QUICK}) or ({HEAVY})"),
        ),
        cwd=ROOT,
        env=environment,
        check=False,
    )
    subprocess.run(
        (PYTHON, "-m", "coverage", "combine", "-q"), cwd=ROOT, env=environment, check=True
    )
    tests = {"quick": _collected(QUICK), "heavy": _collected(HEAVY)}
    (KEPT / "tests.json").write_text(json.dumps(tests))


def _collected(marks: str) -> list[str]:
    found = subprocess.run(
        (PYTHON, "-m", "pytest", "--collect-only", "-q", "-m", marks),
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [line for line in found.stdout.splitlines() if "::" in line]


def _drawn(subjects: Iterable[str], count: int, chance: random.Random) -> list[Planted]:
    found: list[Planted] = []
    for path in _files(subjects):
        source = path.read_text()
        name = str(path.relative_to(ROOT))
        lines = source.encode()
        for mutation in (of_python if path.suffix == ".py" else of_typescript)(source):
            before = lines[mutation.start : mutation.end].decode()
            found.append(Planted(name, mutation.line, before, mutation.text, mutation=mutation))
    return chance.sample(found, min(count, len(found)))


def _files(subjects: Iterable[str]) -> list[Path]:
    listed = subprocess.run(
        ("git", "ls-files", "--", *subjects), cwd=ROOT, check=True, capture_output=True, text=True
    )
    paths = [ROOT / line for line in listed.stdout.splitlines()]
    return [path for path in paths if path.suffix in {".py", ".ts"}]


def _copy(tree: Path) -> Path:
    """A copy of the checkout as it is, whose tests run its own source."""
    shutil.rmtree(tree, ignore_errors=True)
    listed = subprocess.run(
        ("git", "ls-files", "-z"), cwd=ROOT, check=True, capture_output=True, text=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        copy = tree / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy)
    for modules in ("web/node_modules", "clients/typescript/node_modules"):
        if (ROOT / modules).exists():
            (tree / modules).symlink_to(ROOT / modules)
    (tree / ".venv").symlink_to(ROOT / ".venv")
    return tree


def _examine(fault: Planted, tree: Path, database: str, chance: random.Random) -> None:
    file = tree / fault.path
    source = file.read_text()
    file.write_text(applied(source, fault.mutation))
    try:
        if file.suffix == ".ts":
            fault.found_by = _found_in_storefront(tree)
            return
        quick, heavy = _tests_of(fault, chance)
        fault.tests = len(quick) + len(heavy)
        if quick and _fails(tree, database, quick):
            fault.found_by = "quick"
        elif heavy and _fails(tree, database, heavy):
            fault.found_by = "ci"
    finally:
        file.write_text(source)


def _found_in_storefront(tree: Path) -> str | None:
    for script in (("run", "build"), ("test",), ("run", "test:e2e")):
        if subprocess.run(("npm", *script), cwd=tree / "web", capture_output=True).returncode:  # noqa: PLW1510
            return "ci"
    return None


def _fails(tree: Path, database: str, tests: Sequence[str]) -> bool:
    command = (PYTHON, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "")
    environment = {
        **os.environ,
        "PYTHONPATH": str(tree / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
        "ADSVC_DATABASE_URL": database,
    }
    try:
        done = subprocess.run(
            (*command, *tests),
            cwd=tree,
            env=environment,
            capture_output=True,
            timeout=TEST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return True
    return done.returncode != 0


def _tests_of(fault: Planted, chance: random.Random) -> tuple[list[str], list[str]]:
    contexts = _contexts_of(fault.path, fault.line)
    tests = json.loads((KEPT / "tests.json").read_text())

    def some(of: str, most: int) -> list[str]:
        found = sorted(contexts.intersection(tests[of]))
        return sorted(chance.sample(found, min(most, len(found))))

    return some("quick", MOST_QUICK), some("heavy", MOST_HEAVY)


@cache
def _recorded() -> CoverageData:
    data = CoverageData(str(KEPT / "coverage"))
    data.read()
    return data


@cache
def _contexts_by_line(path: str) -> dict[int, list[str]]:
    return _recorded().contexts_by_lineno(str(ROOT / path))


def _contexts_of(path: str, line: int, depth: int = 3) -> set[str]:
    """The tests that run the statement of that line.

    Of a constant of a module, which no test runs, those that run the lines that name it.
    """
    tree = ast.parse((ROOT / path).read_text())
    statement, lines = _statement_at(tree, line)
    by_line = _contexts_by_line(path)
    found = {test for number in lines for test in by_line.get(number, []) if test}
    if found or not depth:
        return found
    for name in _assigned(statement):
        named = re.compile(rf"\b{name}\b")
        for other in _files(["src/adsvc"]):
            for number, content in enumerate(other.read_text().splitlines(), 1):
                if named.search(content) and (other != ROOT / path or number not in lines):
                    found |= _contexts_of(str(other.relative_to(ROOT)), number, depth - 1)
    return found or {test for tests in by_line.values() for test in tests if test}


def _statement_at(tree: ast.Module, line: int) -> tuple[ast.stmt, range]:
    """The innermost statement and its lines; those of a compound one are its head's."""
    found, lines = tree.body[0], range(0)
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = max(body[0].lineno - 1, node.lineno) if body else node.end_lineno or node.lineno
            if node.lineno <= line <= end:
                found, lines = node, range(node.lineno, end + 1)
    return found, lines


def _assigned(statement: ast.stmt) -> list[str]:
    targets: list[ast.expr] = []
    match statement:
        case ast.Assign():
            targets = statement.targets
        case ast.AnnAssign():
            targets = [statement.target]
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _line(fault: Planted) -> str:
    before, after = (" ".join(text.split())[:60] for text in (fault.before, fault.after))
    return f"{fault.found_by or 'SURVIVED':9} {fault.path}:{fault.line}  {before} -> {after}"


def _report(planted: Sequence[Planted]) -> int:
    def share(wanted: Callable[[Planted], bool]) -> float:
        return sum(map(wanted, planted)) / max(1, len(planted))

    reached = {
        "quick": share(lambda fault: fault.found_by == "quick"),
        "ci": share(lambda fault: fault.found_by is not None),
    }
    survivors = [fault for fault in planted if fault.found_by is None]
    print(f"\n{len(survivors)} of {len(planted)} survived:")
    for fault in sorted(survivors, key=lambda fault: (fault.path, fault.line)):
        print(_line(fault), f"({fault.tests} tests)")
    results = [{**asdict(fault), "mutation": None} for fault in planted]
    (KEPT / "results.json").write_text(json.dumps(results, indent=1))
    for name, goal in GOALS.items():
        print(f"found by {name}: {reached[name]:.0%} (goal {goal:.0%})")
    return int(any(reached[name] < goal for name, goal in GOALS.items()))


if __name__ == "__main__":
    sys.exit(main())
