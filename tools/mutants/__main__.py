"""Plants random small faults, one at a time, and counts how many the tests find.

    make mutants                 # 200 of them; COUNT=, SEED=, ONLY=src/adsvc/services
    make mutants MAP=1           # records anew which tests run which lines
    make mutants AGAIN=1         # examines again what nothing found

Each fault is planted in a copy of the checkout and looked for by tests that run its line: first
all of them by those of `make test`, then what is left by the heavy ones and the comparison with
`openapi.json`, which CI runs too. A fault of the storefront is looked for by its unit tests, then
in the browser. What nothing finds is listed to be read; README.md has what came of that.

A test that fails, or takes too long, is run once without the fault. If it fails there too it finds
nothing, and is left out. Outcomes are kept in `.mutants/`, so that a run that was interrupted goes
on where it ended.

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
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache, partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory

from coverage import CoverageData
from mutations import Mutation, applied, of_python, of_typescript

from adsvc_ops.embedded import EmbeddedPostgres

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / ".mutants"
PYTHON = ROOT / ".venv/bin/python"

SUBJECTS = (
    "src/adsvc/services",
    "src/adsvc/repositories",
    "src/adsvc/api",
    "src/adsvc/worker",
    "src/adsvc_ops",
    "web/src/data",
)

QUICK = "not drill and not heavy and not large"
HEAVY = "heavy and not drill and not large"

# More tests of one line seldom find more. Those that run most of its file come first.
FEW = 10
MOST = {"quick": 150, "ci": 15}

# A run of tests that takes longer has found a fault, if the tests pass in that time without it.
START_SECONDS = 60
SECONDS = {"quick": 2, "ci": 15}

FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}

# Of what is found by then, in this order.
GOALS = {"quick": 0.60, "ci": 0.85}


@dataclass
class Planted:
    """A fault, and what found it: `quick`, `ci` or, if nothing did, None."""

    path: str
    line: int
    before: str
    after: str
    # What stands for the fault among the outcomes that are kept, as long as its file stays.
    digest: str
    mutation: Mutation
    # The last of `GOALS` whose tests were run.
    examined_by: str | None = None
    found_by: str | None = None
    found_in: str | None = None
    tests: int = 0

    def outcome(self) -> dict[str, object]:
        return {name: value for name, value in asdict(self).items() if name != "mutation"}


def main() -> int:
    options = _options()
    # Also in the background, where shells have it ignored.
    for ending in (signal.SIGINT, signal.SIGTERM):
        signal.signal(ending, signal.default_int_handler)
    RESULTS.mkdir(exist_ok=True)
    if options.map or not (RESULTS / "tests.json").exists():
        _make_map()
    planted = _drawn(options.only or SUBJECTS, options.count, random.Random(options.seed))  # noqa: S311 - a draw that can be repeated
    _restore(planted, again=options.again)
    with (
        TemporaryDirectory(prefix="adsvc-") as directory,
        EmbeddedPostgres(Path(directory) / "postgres", options=FAST) as postgres,
        ThreadPoolExecutor(options.jobs) as threads,
    ):
        trees: SimpleQueue[Tree] = SimpleQueue()
        for number in range(options.jobs):
            trees.put(Tree(_copy(RESULTS / f"tree{number}"), postgres.url))

        def examine(fault: Planted, by: str) -> None:
            tree = trees.get()
            try:
                tree.examine(fault, by)
            finally:
                trees.put(tree)
            with (RESULTS / "outcomes.jsonl").open("a") as outcomes:
                outcomes.write(json.dumps(fault.outcome()) + "\n")
            print(_line(fault), flush=True)

        for by, known in (("quick", {None}), ("ci", {None, "quick"})):
            waiting = [f for f in planted if f.found_by is None and f.examined_by in known]
            print(f"{len(waiting)} are to be found by {by}.", flush=True)
            try:
                list(threads.map(partial(examine, by=by), waiting))
            except KeyboardInterrupt:
                print("Ends when what is being examined has its outcome.", flush=True)
                threads.shutdown(cancel_futures=True)
                raise
    return _report(planted)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--map", action="store_true")
    parser.add_argument("--again", action="store_true")
    return parser.parse_args()


def _restore(planted: Iterable[Planted], *, again: bool) -> None:
    """Fills in the outcomes of earlier runs; with `again` only what was found."""
    outcomes_file = RESULTS / "outcomes.jsonl"
    lines = outcomes_file.read_text().splitlines() if outcomes_file.exists() else []
    known = {outcome["digest"]: outcome for outcome in map(json.loads, lines)}
    for fault in planted:
        outcome = known.get(fault.digest)
        if outcome is not None and (outcome["found_by"] or not again):
            for name in ("examined_by", "found_by", "found_in", "tests"):
                setattr(fault, name, outcome[name])


def _make_map() -> None:
    environment = {
        **os.environ,
        "COVERAGE_FILE": str(RESULTS / "coverage"),
        "PYTHONPATH": str(Path(__file__).parent),
    }
    for old in RESULTS.glob("coverage*"):
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
    tests = {"quick": _collected(QUICK), "ci": _collected(HEAVY)}
    (RESULTS / "tests.json").write_text(json.dumps(tests))


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
    for path in _files(*subjects):
        source = path.read_text()
        name = str(path.relative_to(ROOT))
        lines = source.encode()
        for mutation in (of_python if path.suffix == ".py" else of_typescript)(source):
            before = lines[mutation.start : mutation.end].decode()
            digest = sha256(f"{name} {mutation} {source}".encode()).hexdigest()
            found.append(Planted(name, mutation.line, before, mutation.text, digest, mutation))
    return chance.sample(found, min(count, len(found)))


@cache
def _files(*subjects: str) -> list[Path]:
    listed = subprocess.run(
        ("git", "ls-files", "--", *subjects), cwd=ROOT, check=True, capture_output=True, text=True
    )
    paths = [ROOT / line for line in listed.stdout.splitlines()]
    return [path for path in paths if path.suffix in {".py", ".ts"}]


def _copy(tree: Path) -> Path:
    """A copy of the checkout as it is, with an environment whose programs run its source."""
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
    shutil.copytree(ROOT / ".venv", tree / ".venv", symlinks=True, copy_function=os.link)
    for path in (tree / ".venv").glob("lib/*/site-packages/*adsvc*.pth"):
        path.unlink()
        path.write_text(f"{tree / 'src'}\n")
    return tree


class Tree:
    """A copy of the checkout in which one fault at a time is planted."""

    def __init__(self, root: Path, database: str) -> None:
        self._root = root
        self._database = database
        self._sound: set[str] = set()
        self._unsound: set[str] = set()

    def examine(self, fault: Planted, by: str) -> None:
        file = self._root / fault.path
        source = file.read_text()

        def plant() -> None:
            file.write_text(applied(source, fault.mutation))

        def remove() -> None:
            file.write_text(source)

        try:
            if file.suffix != ".ts":
                tests, seconds = _tests_of(fault, by), SECONDS[by]
                fault.tests += len(tests)
                fault.found_in = self._found_in(tests, seconds, plant, remove)
                if by == "ci" and fault.found_in is None:
                    plant()
                    fault.found_in = self._drift()
            elif by == "ci":
                plant()
                fault.found_in = self._failing_script()
        finally:
            remove()
        fault.examined_by = by
        fault.found_by = fault.found_in and by

    def _drift(self) -> str | None:
        """What `make gates` finds: another document than the one that is committed."""
        made = subprocess.run(
            (self._root / ".venv/bin/python", "-m", "adsvc", "openapi"),
            cwd=self._root,
            capture_output=True,
            check=False,
        )
        committed = (self._root / "openapi.json").read_bytes()
        return None if made.stdout == committed else "openapi.json"

    def _failing_script(self) -> str | None:
        for script in (("run", "build"), ("test",), ("run", "test:e2e")):
            if subprocess.run(  # noqa: PLW1510
                ("npm", *script), cwd=self._root / "web", capture_output=True
            ).returncode:
                return " ".join(("npm", *script))
        return None

    def _found_in(
        self,
        tests: list[str],
        seconds: float,
        plant: Callable[[], None],
        remove: Callable[[], None],
    ) -> str | None:
        """The first test that fails with the fault and passes without it."""
        while tests := [test for test in tests if test not in self._unsound]:
            plant()
            failing = self._failing(tests, seconds)
            remove()
            if len(failing) <= 1:
                # Those before it have passed, in whatever state the source is.
                self._sound.update(tests[: tests.index(failing[0])] if failing else tests)
            if not failing:
                return None
            if set(failing) <= self._sound and seconds == SECONDS["quick"]:
                return failing[0]
            broken = self._failing(failing, seconds)
            if not broken:
                self._sound.update(failing)
                return failing[0] if len(failing) == 1 else "(takes too long)"
            if len(broken) > 1:
                # The machine does other things too.
                seconds *= 2
                continue
            self._unsound.update(broken)
            print(f"fails without a fault: {broken[0]}", flush=True)
        return None

    def _failing(self, tests: list[str], seconds: float) -> list[str]:
        """The first test that fails, or all of them if they take too long."""
        command = (
            *(str(self._root / ".venv/bin/python"), "-m", "pytest", "-x", "-q", "-n", "0"),
            *("-p", "no:cacheprovider", "-m", "", "--tb=no", *tests),
        )
        with subprocess.Popen(
            command,
            cwd=self._root,
            env={**os.environ, "ADSVC_DATABASE_URL": self._database},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        ) as run:
            try:
                output, _ = run.communicate(timeout=START_SECONDS + seconds * len(tests))
            except subprocess.TimeoutExpired:
                os.killpg(run.pid, signal.SIGKILL)
                return tests
        if run.returncode == 0:
            return []
        lines = re.findall(r"^(?:FAILED|ERROR) (\S.*)", output, re.MULTILINE)
        # A module that cannot be collected is named without its tests.
        failed = [
            test
            for line in lines
            for test in tests
            if f"{line} ".startswith(f"{test} ") or f"{test}::".startswith(f"{line.split()[0]}::")
        ]
        return failed[:1] or tests[:1]


def _tests_of(fault: Planted, by: str) -> list[str]:
    contexts = _contexts_of(fault.path, fault.line)
    tests = json.loads((RESULTS / "tests.json").read_text())
    lines = Counter(chain.from_iterable(_contexts_by_line(fault.path).values()))
    found = sorted(contexts.intersection(tests[by]))
    random.Random(fault.digest).shuffle(found)  # noqa: S311 - an order that can be repeated
    return sorted(found, key=lambda test: -lines[test])[: MOST[by]]


@cache
def _recorded() -> CoverageData:
    data = CoverageData(str(RESULTS / "coverage"))
    data.read()
    return data


@cache
def _contexts_by_line(path: str) -> dict[int, list[str]]:
    return _recorded().contexts_by_lineno(str(ROOT / path))


def _contexts_of(path: str, line: int, depth: int = 3) -> set[str]:
    """The tests that run the statement of that line.

    Constants and classes of a module are made by whichever test imports it first or starts a
    process, and what is cached, or done once for an application, by few tests. Then it is also the
    tests that run the lines that name them.
    """
    tree = _parsed(path)
    statement, lines = _statement_at(tree, line)
    enclosing = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.lineno <= statement.lineno <= (node.end_lineno or 0)
    ]
    functions = [node for node in enclosing if not isinstance(node, ast.ClassDef)]
    found: set[str] = set()
    if functions:
        if statement in functions:
            lines = range(statement.body[0].lineno, (statement.end_lineno or 0) + 1)
        found = _contexts_in(path, lines)
        is_cached = any("cache" in ast.unparse(each) for each in functions[0].decorator_list)
        if not is_cached and len(found) >= FEW:
            return found
        names = [functions[0].name]
    else:
        names = [node.name for node in enclosing] or _assigned(statement)
    if not depth:
        return found
    for name in names:
        named = re.compile(rf"\b{name}\b")
        for other in _files("src"):
            for number, content in enumerate(_lines_of(other), 1):
                if named.search(content) and (other != ROOT / path or number not in lines):
                    found |= _contexts_of(str(other.relative_to(ROOT)), number, depth - 1)
    return found or _contexts_in(path, range(len(_lines_of(ROOT / path)) + 1))


def _contexts_in(path: str, lines: Iterable[int]) -> set[str]:
    by_line = _contexts_by_line(path)
    return {test for number in lines for test in by_line.get(number, []) if test}


@cache
def _parsed(path: str) -> ast.Module:
    return ast.parse((ROOT / path).read_text())


@cache
def _lines_of(path: Path) -> list[str]:
    return path.read_text().splitlines()


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
    outcome = fault.found_by or f"not {fault.examined_by}"
    found = fault.found_in or f"{fault.tests} tests"
    return f"{outcome:9} {fault.path}:{fault.line}  {before} -> {after}  ({found})"


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
        print(_line(fault))
    for name, goal in GOALS.items():
        print(f"found by {name}: {reached[name]:.0%} (goal {goal:.0%})")
    return int(any(reached[name] < goal for name, goal in GOALS.items()))


if __name__ == "__main__":
    sys.exit(main())
