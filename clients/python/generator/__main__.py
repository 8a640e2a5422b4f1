"""Writes the generated part of the client: records, operations, both clients' methods, errors.

Usage: python generator OPENAPI PROBLEM_TYPES DIRECTORY
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, DictLoader, PackageLoader
from openapi_python_client import Project
from openapi_python_client.config import Config, ConfigFile, MetaType
from openapi_python_client.parser import GeneratorData
from openapi_python_client.parser.errors import GeneratorError
from openapi_python_client.parser.properties import ModelProperty

import document
import views

HERE = Path(__file__).parent
RENDERED = ("operations", "async_methods", "methods", "problems", "version")


def main() -> None:
    source, problem_types, target = (Path(argument) for argument in sys.argv[1:])
    raw = document.read(source)
    config = Config.from_sources(
        ConfigFile(literal_enums=True, package_name_override="adsvc_client", post_hooks=[]),
        MetaType.NONE,
        source,
        "utf-8",
        overwrite=True,
        output_path=target,
    )
    parsed = GeneratorData.from_dict(raw, config=config)
    if isinstance(parsed, GeneratorError):
        sys.exit(f"{parsed.header} {parsed.detail}")
    _rename_members(parsed)
    collection = parsed.endpoint_collections_by_tag["adsvc"]
    operations = list(views.of(raw, collection.endpoints))
    _complain(parsed, operations, expected=len(list(document.operations(raw))))

    # Bodies of forms are passed member by member, and need no record of their own.
    forms = {
        body.prop.class_info.name
        for endpoint in collection.endpoints
        for body in endpoint.bodies
        if body.body_type != "json"
    }
    project = Project(openapi=parsed, config=config, custom_template_path=HERE / "templates")
    project.env.loader = ChoiceLoader([DictLoader(_adapted(project)), project.env.loader])
    project.env.globals["open_values"] = document.OPEN_VALUES
    parsed.models = [model for model in parsed.models if model.class_info.name not in forms]

    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    project._create_package()
    project._build_models()
    table: dict[str, dict[str, Any]] = json.loads(problem_types.read_bytes())
    statuses = {entry["status"]: entry["statusClass"] for entry in table.values()}
    context = {
        "operations": operations,
        # As PEP 440 writes it.
        "version": raw["info"]["version"].replace("-dev", ".dev0"),
        "statuses": statuses,
        "problem_types": [
            {"type": kind, "name": entry["class"], "parent": entry["statusClass"], **entry}
            for kind, entry in table.items()
        ],
        "classes": sorted({*statuses.values(), *(entry["class"] for entry in table.values())}),
        "imports": sorted({line for operation in operations for line in operation.imports}),
    }
    for name in RENDERED:
        text = project.env.get_template(f"{name}.py.jinja").render(**context)
        (target / f"{name}.py").write_text(text, encoding="utf-8")
    _format(target)


def _rename_members(parsed: GeneratorData) -> None:
    """`Record` has a `response` of its own."""
    endpoints = parsed.endpoint_collections_by_tag["adsvc"].endpoints
    bodies = [body.prop for endpoint in endpoints for body in endpoint.bodies]
    for model in [*parsed.models, *bodies]:
        if isinstance(model, ModelProperty):
            for prop in (*(model.required_properties or ()), *(model.optional_properties or ())):
                if prop.name == "response":
                    object.__setattr__(prop, "python_name", "response_")


def _complain(parsed: GeneratorData, operations: list[views.Operation], expected: int) -> None:
    """Ends the program if something of the document would be missing."""
    errors = [*parsed.errors, *parsed.endpoint_collections_by_tag["adsvc"].parse_errors]
    # Pictures are not among the generator's types; they are bytes.
    errors = [one for one in errors if "Unsupported content_type image/" not in f"{one.detail}"]
    if errors or len(operations) < expected:
        sys.exit("\n".join(f"{error.header} {error.detail}" for error in errors) or "incomplete")


def _adapted(project: Project) -> dict[str, str]:
    """The generator's own template of records, which are to have a class in common."""
    name = "model.py.jinja"
    source, _, _ = PackageLoader("openapi_python_client").get_source(project.env, name)
    changes = {
        "class {{ class_name }}:": "class {{ class_name }}(Record):",
        "from ..types import UNSET, Unset": "from ..types import UNSET, Record, Unset",
    }
    for old, new in changes.items():
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return {name: source}


def _format(target: Path) -> None:
    ruff = [str(Path(sys.executable).with_name("ruff"))]
    options = ["--isolated", "--line-length=100", "--target-version=py311"]
    select = ["--select=F401,I,UP", "--fix-only", "--quiet"]
    subprocess.run([*ruff, "check", *options, *select, str(target)], check=True)
    subprocess.run([*ruff, "format", "--quiet", *options, str(target)], check=True)


if __name__ == "__main__":
    main()
