"""unseen.py BASE REVISION ACCEPTED: what oasdiff does not see between two documents.

Of security schemes it calls nothing breaking, and of values that an open enumeration
(`x-extensible-enum`) gains it says nothing. Either is accepted by a line in ACCEPTED, such as

    `Role` may be `MODERATOR`
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

OPEN = "x-extensible-enum"


def schemes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    current = after["components"]["securitySchemes"]
    for name, scheme in before["components"]["securitySchemes"].items():
        # Neither is more than a hint to people.
        hints = {"description": None, "bearerFormat": None}
        if {**scheme, **hints} != {**current.get(name, {}), **hints}:
            yield f"the security scheme `{name}` was changed or removed [security-scheme-changed]"


def enumerations(node: object, place: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each by its place, such as `Decision.kind`."""
    if isinstance(node, list):
        for each in node:
            yield from enumerations(each, place)
    if isinstance(node, dict):
        if OPEN in node or "enum" in node:
            yield place, node
        for name, member in node.get("properties", {}).items():
            yield from enumerations(member, f"{place}.{name}")
        for key in ("items", "additionalProperties", "anyOf", "oneOf", "allOf"):
            yield from enumerations(node.get(key), place)


def everywhere(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    schemas = document["components"]["schemas"]
    return dict(pair for name in schemas for pair in enumerations(schemas[name], name))


def values(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    known, now = everywhere(before), everywhere(after)
    for place in known.keys() & now.keys():
        if OPEN in known[place] and OPEN not in now[place]:
            yield f"`{place}` takes no more values than are listed [response-enum-closed]"
        if OPEN not in now[place]:
            # In requests, which oasdiff looks after.
            continue
        of_old = known[place].get(OPEN, known[place].get("enum", ()))
        for value in now[place][OPEN]:
            if value not in of_old:
                yield f"`{place}` may be `{value}` [response-enum-value-added]"


def main() -> None:
    before, after = (json.loads(Path(name).read_text()) for name in sys.argv[1:3])
    file = Path(sys.argv[3])
    accepted = {line.strip() for line in file.read_text().splitlines()} if file.exists() else set()
    found = sorted([*schemes(before, after), *values(before, after)])
    refused = [one for one in found if one.partition(" [")[0] not in accepted]
    if refused:
        sys.exit("\n".join(f"error, {one}." for one in refused))


if __name__ == "__main__":
    main()
