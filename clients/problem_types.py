"""Prints the service's table of problem types as JSON: clients make error classes of it."""

import json

from adsvc.api.problems.types import PROBLEM_TYPES


def main() -> None:
    table = {
        problem.type: {
            "status": problem.status,
            "title": problem.title,
            "explanation": problem.explanation,
        }
        for problem in PROBLEM_TYPES.values()
    }
    print(json.dumps(table, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
