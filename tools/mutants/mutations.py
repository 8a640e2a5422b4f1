"""Small changes of a source file, of the kind that a tired engineer makes.

Each is a replacement of one piece of text, so that the rest of the file stays as it is. SQL in
strings is changed too: much of what the service decides stands there.
"""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple


class Mutation(NamedTuple):
    """Replace `source[start:end]`, which begins in that line, by `text`."""

    start: int
    end: int
    line: int
    text: str


COMPARISONS = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}

ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "//", ast.FloorDiv: "*", ast.Div: "*"}

NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}

SQL = re.compile(
    r"\b(?:SELECT|FROM|WHERE|JOIN|UPDATE|INSERT|DELETE|VALUES|CASE|AND|OR|NULL)\b|\$\d"
)

IN_SQL = [
    (re.compile(pattern), text)
    for pattern, text in (
        (r"\bAND\b", "OR"),
        (r"\bOR\b(?! REPLACE)", "AND"),
        (r"\bIS NULL\b", "IS NOT NULL"),
        (r"\bIS NOT NULL\b", "IS NULL"),
        (r"\bNOT EXISTS\b", "EXISTS"),
        (r"(?<!NOT )\bEXISTS\b", "NOT EXISTS"),
        (r"\bDESC\b", "ASC"),
        (r"(?<= )<(?= )", "<="),
        (r"(?<= )<=(?= )", "<"),
        (r"(?<= )>(?= )", ">="),
        (r"(?<= )>=(?= )", ">"),
        (r"(?<= )=(?= )", "<>"),
        (r"(?<= )\+(?= )", "-"),
        (r"(?<= )-(?= )", "+"),
        (r"\bgreatest\(", "least("),
        (r"\bleast\(", "greatest("),
        (r"\bmin\(", "max("),
        (r"\bmax\(", "min("),
        (r"\btrue\b", "false"),
        (r"\bfalse\b", "true"),
    )
]

IN_TYPESCRIPT = [
    (re.compile(pattern), text)
    for pattern, text in (
        (r" === ", " !== "),
        (r" !== ", " === "),
        (r" && ", " || "),
        (r" \|\| ", " && "),
        (r" < ", " <= "),
        (r" >= ", " > "),
        (r" > ", " >= "),
        (r" \+ ", " - "),
        (r"\btrue\b", "false"),
        (r"\bfalse\b", "true"),
        (r"\bif \(!", "if ("),
        (r"\bif \((?!!)", "if (!"),
        (r"^( +)(?:await |void )?[\w.?]+\([^{]*\);$", r"\1;"),
    )
]


def of_python(source: str) -> list[Mutation]:
    lines = [0]
    for line in source.encode().splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    return sorted(set(_Python(source.encode(), lines).of(ast.parse(source))))


def of_typescript(source: str) -> list[Mutation]:
    data = source.encode()
    found, offset = [], 0
    for number, line in enumerate(data.splitlines(keepends=True), 1):
        text = line.decode()
        if not text.lstrip().startswith(("//", "*", "/*", "import", "export type", "|")):
            found += [
                Mutation(
                    offset + len(text[: match.start()].encode()),
                    offset + len(text[: match.end()].encode()),
                    number,
                    match.expand(replacement),
                )
                for pattern, replacement in IN_TYPESCRIPT
                for match in pattern.finditer(text.rstrip("\n"))
            ]
        offset += len(line)
    return found


def applied(source: str, mutation: Mutation) -> str:
    data = source.encode()
    return (data[: mutation.start] + mutation.text.encode() + data[mutation.end :]).decode()


class _Python:
    """Offsets are in bytes, as those of `ast` are."""

    def __init__(self, data: bytes, lines: list[int]) -> None:
        self._data = data
        self._lines = lines

    def of(self, node: ast.AST) -> Iterator[Mutation]:
        yield from self._of_this(node)
        for child in _children(node):
            yield from self.of(child)

    def _of_this(self, node: ast.AST) -> Iterator[Mutation]:  # noqa: C901 - one case a kind of node
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                yield self._between(left, right, COMPARISONS[type(operator)])
            case ast.BoolOp(op=operator, values=[first, second, *_]):
                yield self._between(first, second, "or" if isinstance(operator, ast.And) else "and")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                yield self._replaced(node, self._text(operand))
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in ARITHMETIC:
                if not any(isinstance(side, ast.JoinedStr) for side in (left, right)):
                    yield self._between(left, right, ARITHMETIC[type(operator)])
            case ast.If(test=test) | ast.IfExp(test=test) if not _is_negated(test):
                yield self._replaced(test, f"(not ({self._text(test)}))")
            case ast.Expr(value=ast.Call() | ast.Await()):
                yield self._replaced(node, "pass")
            case ast.Name(id=name) if name in NAMES:
                yield self._replaced(node, NAMES[name])
            case ast.Constant(value=bool() as value):
                yield self._replaced(node, str(not value))
            case ast.Constant(value=int() as number):
                yield self._replaced(node, str(number + 1))
            case ast.Constant(value=str()) | ast.JoinedStr() if SQL.search(self._text(node)):
                yield from self._in_sql(node)

    def _in_sql(self, node: ast.expr) -> Iterator[Mutation]:
        start = self._start(node)
        text = self._text(node)
        for pattern, replacement in IN_SQL:
            for match in pattern.finditer(text):
                begin = start + len(text[: match.start()].encode())
                line = node.lineno + text[: match.start()].count("\n")
                yield Mutation(begin, begin + len(match[0].encode()), line, replacement)

    def _between(self, left: ast.expr, right: ast.expr, text: str) -> Mutation:
        """The operator that stands between two operands; brackets and line breaks stay."""
        start, end = self._end(left), self._start(right)
        between = self._data[start:end].decode()
        operator = re.search(r"not\s+in|is\s+not|[^\s()]+", between)
        assert operator is not None  # noqa: S101 - there is one between any two operands
        begin = start + operator.start()
        line = left.end_lineno or left.lineno
        return Mutation(begin, start + operator.end(), line, text)

    def _replaced(self, node: ast.expr | ast.stmt, text: str) -> Mutation:
        return Mutation(self._start(node), self._end(node), node.lineno, text)

    def _text(self, node: ast.expr) -> str:
        return self._data[self._start(node) : self._end(node)].decode()

    def _start(self, node: ast.expr | ast.stmt) -> int:
        return self._lines[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.stmt) -> int:
        assert node.end_lineno is not None  # noqa: S101 - the parser sets it
        assert node.end_col_offset is not None  # noqa: S101
        return self._lines[node.end_lineno - 1] + node.end_col_offset


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """All but annotations, docstrings, messages, and declarations for the document."""
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "type_comment", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_prose(child):
                yield child


def _is_prose(node: ast.AST) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="logger")))):
            return True
        case ast.JoinedStr(values=values):
            return not any(
                isinstance(part, ast.Constant) and SQL.search(str(part.value)) for part in values
            )
        case ast.ImportFrom() | ast.Import() | ast.FormattedValue():
            return True
        case ast.keyword(arg="description" | "title" | "examples" | "summary"):
            return True
    return False


def _is_negated(test: ast.expr) -> bool:
    """Changed elsewhere already."""
    return isinstance(test, ast.Compare | ast.BoolOp) or (
        isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    )
