"""Pages and feeds from the templates in `templates`, which escape what is not marked as safe."""

import json
import re

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.environment import TemplateStream
from jinja2.ext import Extension

# The line breaks before an element or a statement are for the readers of a template.
LAYOUT = re.compile(r"\n\s*(?=[<{])")


class _WithoutLayout(Extension):
    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        del name, filename
        return LAYOUT.sub("", source)


def _json(value: object, **_: object) -> str:
    """Without the characters that end a line for a parser that reads JSON as a script."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\u2028", r"\u2028").replace("\u2029", r"\u2029")


_ENVIRONMENT = Environment(
    loader=PackageLoader("adsvc.api"),
    autoescape=True,
    undefined=StrictUndefined,
    extensions=[_WithoutLayout],
    auto_reload=False,
)
_ENVIRONMENT.policies["json.dumps_function"] = _json
# Compiled here, once for all processes that are forked from one that imports this module.
_TEMPLATES = {
    name.removesuffix(".jinja"): _ENVIRONMENT.get_template(name)
    for name in _ENVIRONMENT.list_templates()
}


def html(template: str, **values: object) -> str:
    """The page, feed or part. A value that the template names and does not get is an error."""
    return _TEMPLATES[template].render(values)


def html_stream(template: str, **values: object) -> TemplateStream:
    """The same in pieces, for what is long: the template reads iterators as it is written."""
    return _TEMPLATES[template].stream(values)
