"""The shipped configuration of nginx says again what the service says; here the two are compared.

It is read as text, so that nginx need not be installed.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from adsvc.api.errors.meanings import meaning_of
from adsvc.api.forms import FORM_OVERHEAD_BYTES
from adsvc.api.middleware import TRANSPORT_SECURITY
from adsvc.api.routers.images import NAME
from adsvc.errors import ContentTooLargeError, RefusalError, UnavailableError
from adsvc.imaging import CONTENT_TYPES
from adsvc.server import SECURITY_HEADERS
from adsvc.settings import Settings
from adsvc.storage import LocalImageStore, new_image_name
from factories import Api

ROOT = Path(__file__).parents[2]
CONFIGURATION = (ROOT / "deploy/nginx.conf").read_text()
PICTURES = r'location ~ "(\S+)"'
MEBIBYTE = 1024 * 1024
# What every answer has or not by itself, whoever sends it.
PER_ANSWER = {"content-length", "content-type", "x-request-id"}


def block(begin: str) -> str:
    """From that pattern to the brace that closes what it opens, which stands under it."""
    found = re.search(rf"^( *){begin}.*?^\1\}}$", CONFIGURATION, re.DOTALL | re.MULTILINE)
    assert found is not None, begin
    return found[0]


def value(name: str) -> str:
    """Of a directive that stands there once."""
    [found] = re.findall(rf"^ *{name} (.+);$", CONFIGURATION, re.MULTILINE)
    return str(found)


def seconds(name: str) -> int:
    return int(value(name).removesuffix("s"))


def added_headers(text: str) -> dict[str, str]:
    found = re.findall(r"^ *add_header (\S+) ([\"']?)(.*?)\2(?: always)?;$", text, re.MULTILINE)
    return {name.lower(): content for name, _, content in found}


def matched(path: str) -> Mapping[str, str] | None:
    """What nginx's variables are when a request for the path is one for a picture."""
    [pattern] = re.findall(PICTURES, CONFIGURATION)
    found = re.search(pattern.replace("(?<", "(?P<"), path)
    return found.groupdict() if found else None


def filled(text: str, variables: Mapping[str, str]) -> str:
    return re.sub(r"\$(\w+)", lambda found: variables[found[1]], text)


async def test_a_picture_has_the_headers_that_the_service_gives_it(api: Api) -> None:
    ad = await (await api.person()).post_ad()
    answer = await api.client.get(ad["image"])
    expected = {name: text for name, text in answer.headers.items() if name not in PER_ANSWER}
    variables = matched(ad["image"])
    assert variables is not None
    configured = added_headers(block(PICTURES))
    # nginx itself sends the one, and would send the other.
    configured["accept-ranges"] = "bytes"
    assert configured.pop("last-modified") == ""
    assert configured.pop("strict-transport-security") == "$adsvc_transport_security"
    assert {name: filled(text, variables) for name, text in configured.items()} == expected


def test_every_security_header_is_named_wherever_nginx_answers_itself() -> None:
    names = {name.lower() for name in SECURITY_HEADERS}
    assert names <= added_headers(block(PICTURES)).keys()
    refusal = added_headers(block("location @problem"))
    assert {name: refusal[name.lower()] for name in SECURITY_HEADERS} == SECURITY_HEADERS
    assert f'https "{TRANSPORT_SECURITY}";' in block("map .scheme")


@pytest.mark.parametrize("extension", CONTENT_TYPES)
def test_a_picture_is_looked_for_where_the_store_has_put_it(extension: str) -> None:
    name = new_image_name(extension)
    variables = matched(f"/images/{name}")
    assert variables is not None
    directory = Path("/var/lib/adsvc/images")
    assert Path(filled(value("alias"), variables)) == LocalImageStore(directory).path(name)
    types = re.findall(r"^ *(image/\w+) +(\w+);$", block(PICTURES), re.MULTILINE)
    assert {extension: content_type for content_type, extension in types} == CONTENT_TYPES


@pytest.mark.parametrize(
    "name",
    [
        ".0f8fad5bd9cb469fa16570867728950e.jpg.tmp",
        ".0f8fad5bd9cb469fa16570867728950e.jpg",
        "0f8fad5bd9cb469fa16570867728950e.jpg.tmp",
        "0f8fad5bd9cb469fa16570867728950e.check",
        "0f8fad5bd9cb469fa16570867728950e.svg",
        "0f8fad5bd9cb469fa16570867728950.jpg",
        "0F8FAD5BD9CB469FA16570867728950E.jpg",
        "0f/0f8fad5bd9cb469fa16570867728950e.jpg",
        "0f8fad5bd9cb469fa16570867728950e.jpg/",
        "0f8fad5bd9cb469fa16570867728950e_jpg",
        "../jwt_secret",
        "",
    ],
)
def test_what_is_no_name_of_a_picture_is_for_the_service_to_refuse(name: str) -> None:
    assert NAME.fullmatch(name) is None
    assert matched(f"/images/{name}") is None


def test_the_service_refuses_what_is_too_large_before_nginx_does() -> None:
    settings = Settings()
    accepted = settings.image_max_bytes + settings.json_body_max_bytes + FORM_OVERHEAD_BYTES
    limit = int(value("client_max_body_size").removesuffix("m")) * MEBIBYTE
    assert accepted < limit < accepted + 2 * MEBIBYTE


def test_nginx_waits_for_clients_no_longer_than_the_service() -> None:
    settings = Settings()
    assert seconds("client_header_timeout") == settings.header_timeout_seconds
    assert seconds("client_body_timeout") == settings.body_timeout_seconds
    assert seconds("proxy_send_timeout") == settings.body_timeout_seconds
    assert seconds("send_timeout") == settings.send_timeout_seconds
    upstream, client = re.findall(r"^ *keepalive_timeout (\d+)s;$", CONFIGURATION, re.MULTILINE)
    assert int(upstream) < settings.keep_alive_seconds == int(client)
    assert seconds("proxy_read_timeout") > settings.image_seconds


@pytest.mark.parametrize(
    ("case", "error"), [("413", ContentTooLargeError("body", 0)), ("default", UnavailableError())]
)
def test_refusals_that_the_service_cannot_make_are_its_problems(
    case: str, error: RefusalError
) -> None:
    meaning = meaning_of(type(error))
    told = re.findall(rf"^ *{case} +'(.+)';$", block("map .status .adsvc_problem"), re.MULTILINE)
    problem = json.loads(told[0])
    assert (problem["type"], problem["title"]) == (meaning.type, meaning.title)
    assert problem["status"] == meaning.status
    assert f"503 {UnavailableError.retry_after};" in block("map .status .adsvc_retry_after")


def test_containers_use_the_same_file_with_another_address() -> None:
    address = f"127.0.0.1:{Settings().port}"
    assert value("    server") == address
    compose = (ROOT / "docker-compose.yml").read_text()
    assert f"s/{re.escape(address)}/adsvc:8080/" in compose
    assert CONFIGURATION.count(address) == 1


def test_continuous_integration_runs_pinned_actions_with_few_rights() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    used = re.findall(r"uses: (\S+)", workflow)
    assert len(used) == 2
    for action in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action), action
    assert "permissions:\n  contents: read\n" in workflow
    assert "- run: .ci/run\n" in workflow
    assert 'python: ["3.11", "3.13"]' in workflow
