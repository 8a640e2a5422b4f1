import re
from html import escape

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from adsvc.api.problems.problem_type import PROBLEMS_PATH, ProblemType
from adsvc.api.problems.types import PROBLEM_TYPES
from adsvc.http.problems import PROTOCOL_PROBLEMS, ProtocolProblem

router = APIRouter()

# As the descriptions in the document have them, which is Markdown.
CODE = re.compile(r"`(.+?)`")

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Problems</title>
<h1>Problems</h1>
<p>Every refusal is <code>application/problem+json</code> (RFC 9457). Its <code>type</code> is one
of these.</p>
<dl>{entries}</dl></html>
"""

ENTRY = '<dt id="{slug}"><b>{slug}</b> ({status}): {title}</dt><dd>{explanation}</dd>'


@router.get(PROBLEMS_PATH, include_in_schema=False)
async def explain_problems() -> HTMLResponse:
    types: tuple[ProblemType | ProtocolProblem, ...] = (
        *PROBLEM_TYPES.values(),
        *PROTOCOL_PROBLEMS,
    )
    entries = (
        ENTRY.format(
            slug=type_.slug,
            status=type_.status,
            title=escape(type_.title),
            explanation=CODE.sub(r"<code>\1</code>", escape(type_.explanation)),
        )
        for type_ in types
    )
    return HTMLResponse(PAGE.format(entries="\n".join(entries)))
