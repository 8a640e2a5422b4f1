"""One name, one class: a reader who searches for a name finds what it means."""

import ast
from collections import defaultdict
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"

# A table and the record of the same thing are a pair with one name, on two floors.
PAIR = ("adsvc/models/", "adsvc/schemas/")

# Names that two classes still share, with the names that they are to get. A record of the
# interface keeps its name, which clients know.
SHARED = {
    "Account": "CallerAccount in callers, SystemAccount in embedded",
    "Answer": "ReadAnswer in fastpath, StoredAnswer in idempotency_keys",
    "Caller": "Identified in dependencies",
    "Connection": "ServerConnection in db, ClientConnection in http",
    "Counted": "CountedRead in dependencies, FacetRows in facets",
    "Job": "RegularJob in worker",
    "Mailboxes": "MailboxLimits in recovery",
    "Reader": "AdReader in dependencies and fastpath, BodyReader in http; db keeps it",
    "Reported": "ReportedThing in cases, ReportOutcome in reports",
    "Server": "DatabaseServer in db, HttpServer in process, EmbeddedServer in embedded",
    "Sessions": "SessionFactory in db",
    "Site": "SiteText in storefront",
    "Snapshot": "MetricsSnapshot in metrics",
    "Statement": "StatementUnit in db",
    "Step": "LifeStep in lifecycle, CategoryStep in categories, SmtpStep in transports",
    "StoredImage": "SavedImage in services",
    "Viewer": "CachedViewer in fastpath, ListViewer in services",
    "_Attempt": "_EncodingAttempt in normalise, _LoginAttempt in credentials",
}


def test_no_two_classes_share_a_name() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for file in sorted(SRC.glob("**/*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(file.relative_to(SRC).as_posix())
    shared = {name: files for name, files in places.items() if len(files) > 1}
    pairs = {
        name
        for name, files in shared.items()
        if len(files) == len(PAIR)
        and all(file.startswith(floor) for file, floor in zip(files, PAIR, strict=True))
    }
    assert {name: shared[name] for name in shared.keys() - pairs} == {
        name: shared.get(name) for name in SHARED
    }
