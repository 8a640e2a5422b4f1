"""Prints the service's table of problem types as JSON: clients make error classes of it.

All clients name the classes alike: one for each status, and below it one for each type.
"""

import json

from adsvc.errors import PROBLEMS, PROBLEMS_PATH, RefusalError

# RFC 9110 and its extensions; names of statuses, which do not change when a type is added.
STATUSES = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    406: "NotAcceptable",
    408: "RequestTimeout",
    409: "Conflict",
    410: "Gone",
    412: "PreconditionFailed",
    413: "ContentTooLarge",
    415: "UnsupportedMediaType",
    416: "RangeNotSatisfiable",
    422: "UnprocessableContent",
    428: "PreconditionRequired",
    429: "TooManyRequests",
    431: "RequestHeaderFieldsTooLarge",
    500: "InternalServer",
    503: "ServiceUnavailable",
}


def main() -> None:
    types: dict[str, type[RefusalError]] = {}
    for problem in PROBLEMS:
        # Of two statuses with one type the first counts.
        types.setdefault(f"{PROBLEMS_PATH}#{problem.slug}", problem)
    table = {
        kind: {
            "status": problem.status,
            "title": problem.title,
            "explanation": problem.explanation,
            "class": _class(kind),
            "statusClass": f"{STATUSES[problem.status]}Error",
        }
        for kind, problem in types.items()
    }
    print(json.dumps(table, indent=2, ensure_ascii=False))


def _class(kind: str) -> str:
    """`AdNotFoundError` for `/problems#ad-not-found`."""
    words = kind.rpartition("#")[2].removesuffix("-error").split("-")
    return "".join(map(str.title, words)) + "Error"


if __name__ == "__main__":
    main()
