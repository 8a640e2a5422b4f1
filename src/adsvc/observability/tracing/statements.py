"""What a trace tells of a statement: what it does and to which table, and no value."""

import re
from functools import lru_cache

# `FOR UPDATE OF ads` changes nothing.
CHANGE = re.compile(
    r"(?<!FOR )\b(INSERT)\s+INTO\s+(\w+)|(?<!FOR )\b(DELETE)\s+FROM\s+(\w+)"
    r"|(?<!FOR )(?<!NO KEY )\b(UPDATE)\s+(?!OF\b|SET\b|SKIP\b|NOWAIT\b)(\w+)",
    re.IGNORECASE,
)

# Where a word FROM names no table.
NO_TABLE = re.compile(r"\bEXTRACT\s*\(\s*\w+\s+FROM\b|\bDISTINCT\s+FROM\b", re.IGNORECASE)

READ = re.compile(r"[()]|\bFROM\s+([a-z_]\w*)\b(?!\s*\()", re.IGNORECASE)

# A query that has a name is no table.
NAMED = re.compile(r"\b(\w+)\s+AS\s+(?:NOT\s+)?(?:MATERIALIZED\s+)?\(", re.IGNORECASE)

WORD = re.compile(r"\s*(\w+)")


@lru_cache(maxsize=1024)
def summary(sql: str) -> str:
    """`UPDATE ads`, for the first table that is changed, else for the first that is read."""
    if change := CHANGE.search(sql):
        operation, table = filter(None, change.groups())
        return f"{operation.upper()} {table.lower()}"
    if table := _outermost_table(NO_TABLE.sub(lambda match: "(" * match[0].count("("), sql)):
        return f"SELECT {table}"
    word = WORD.match(sql)
    return word[1].upper() if word else "SQL"


def _outermost_table(sql: str) -> str | None:
    """The first that is read within as few brackets as any."""
    named = {name.lower() for name in NAMED.findall(sql)}
    depth, found = 0, dict[int, str]()
    for match in READ.finditer(sql):
        if match[1] is None:
            depth += 1 if match[0] == "(" else -1
        elif (table := match[1].lower()) not in named:
            found.setdefault(depth, table)
    return found[min(found)] if found else None
