"""The shipped configuration of nginx says again what the service says; here the two are compared.

It is read as text, so that nginx need not be installed.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from adsvc.api.input.multipart import FORM_OVERHEAD_BYTES
from adsvc.api.pipeline.app import UPLOADS
from adsvc.api.routers.events import MOST_SECONDS
from adsvc.api.routers.images import NAME
from adsvc.api.storefront.files import CONTENT_TYPES as CONTENT_TYPES_OF_FILES
from adsvc.errors import (
    ContentTooLargeError,
    NotFoundError,
    RateLimitedError,
    RefusalError,
    UnavailableError,
)
from adsvc.kit.http.messages import SECURITY_HEADERS, TRANSPORT_SECURITY
from adsvc.kit.http.protocol import BAD_REQUEST, HEADERS_TOO_LARGE, ProtocolProblem
from adsvc.kit.pictures.containers import CONTENT_TYPES
from adsvc.kit.storage import LocalImageStore, new_image_name
from adsvc.main import create_app
from adsvc.services.events import COMMENT_SECONDS
from adsvc.settings import Settings
from support.scene.api import Api

ROOT = Path(__file__).parents[3]
CONFIGURATION = (ROOT / "deploy/nginx.conf").read_text()
PICTURES = r'location ~ "(\^/images\S+)"'
ASSETS = r'location ~ "(\^/assets\S+)"'
MEBIBYTE = 1024 * 1024
# What responses have or not by themselves, wherever they are sent from.
PER_ANSWER = {"adsvc-version", "content-length", "content-type", "x-request-id"}


def block(begin: str) -> str:
    """From that pattern to the brace that closes what it opens, which stands under it."""
    found = re.search(rf"^( *){begin}.*?^\1\}}$", CONFIGURATION, re.DOTALL | re.MULTILINE)
    assert found is not None, begin
    return found[0]


def value(name: str) -> str:
    """Of a directive that stands there once."""
    [found] = re.findall(rf"^ *{name} (.+);$", CONFIGURATION, re.MULTILINE)
    return str(found)


def size(name: str, text: str) -> int:
    """In bytes."""
    [(number, unit)] = re.findall(rf"^ *{name} (\d+)([km]);$", text, re.MULTILINE)
    return int(number) * {"k": 1024, "m": MEBIBYTE}[unit]


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


async def test_a_file_of_the_storefront_has_the_headers_that_the_service_gives_it(
    api: Api,
) -> None:
    name = "app-1a2b3c4d.js"
    [pattern] = re.findall(ASSETS, CONFIGURATION)
    found = re.search(pattern.replace("(?<", "(?P<"), f"/assets/{name}")
    assert found is not None
    for accepted, coding in (("identity", ""), ("gzip", "-gzip")):
        answer = await api.client.get(f"/assets/{name}", headers={"Accept-Encoding": accepted})
        told = {name: text for name, text in answer.headers.items() if name not in PER_ANSWER}
        # nginx says itself what it has taken.
        told.pop("content-encoding", None)
        configured = added_headers(block(ASSETS))
        assert configured.pop("last-modified") == ""
        assert configured.pop("strict-transport-security") == "$adsvc_transport_security"
        variables = {**found.groupdict(), "adsvc_coding": coding}
        assert {key: filled(text, variables) for key, text in configured.items()} == told


def test_files_of_the_storefront_have_their_types() -> None:
    types = re.findall(
        r'^ *"?([a-z]+/[\w+]+(?:; charset=utf-8)?)"? +(\w+);$', block(ASSETS), re.MULTILINE
    )
    [pattern] = re.findall(ASSETS, CONFIGURATION)
    assert types
    for content_type, extension in types:
        assert CONTENT_TYPES_OF_FILES[f".{extension}"] == content_type
        assert re.search(pattern.replace("(?<", "(?P<"), f"/assets/a-b_c.1.{extension}"), extension
    for path in ("/assets/.x.js", "/assets/a.js.gz", "/assets/a.js.br", "/assets/a/b.js",
                 "/assets/a.map", "/assets/../index.html", "/assets/a.js/"):  # fmt: skip
        assert re.search(pattern.replace("(?<", "(?P<"), path) is None, path


def test_every_security_header_is_named_wherever_nginx_answers_itself() -> None:
    names = {name.lower() for name in SECURITY_HEADERS}
    for files in (PICTURES, ASSETS):
        assert names <= added_headers(block(files)).keys()
    refusal = added_headers(block("location = /.problem"))
    assert {name: refusal[name.lower()] for name in SECURITY_HEADERS} == SECURITY_HEADERS
    assert f'https "{TRANSPORT_SECURITY}";' in block("map .scheme")


@pytest.mark.parametrize("extension", CONTENT_TYPES)
def test_a_picture_is_looked_for_where_the_store_has_put_it(extension: str) -> None:
    name = new_image_name(extension)
    variables = matched(f"/images/{name}")
    assert variables is not None
    directory = Path("/var/lib/adsvc/images")
    [alias] = re.findall(r"^ *alias (.+);$", block(PICTURES), re.MULTILINE)
    assert Path(filled(alias, variables)) == LocalImageStore(directory).path(name)
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


UPLOAD_LOCATION = r'location ~ "(\^/\(\?:ads\S+)"'


@pytest.mark.heavy
def test_bodies_are_large_where_pictures_or_feeds_are_uploaded() -> None:
    [pattern] = re.findall(UPLOAD_LOCATION, CONFIGURATION)
    uploads = {path for _, path in UPLOADS} | {"/imports"}
    for path in uploads:
        assert re.search(pattern, path.replace("{id}", "42")), path
    for path in create_app(Settings()).openapi()["paths"]:
        assert bool(re.search(pattern, path)) == (path in uploads), path


def test_the_service_refuses_what_is_too_large_before_nginx_does() -> None:
    settings = Settings()
    pictures = settings.ad_images_max * settings.image_max_bytes
    accepted = pictures + settings.json_body_max_bytes + FORM_OVERHEAD_BYTES
    limit = size("client_max_body_size", block(UPLOAD_LOCATION))
    assert accepted < limit < accepted + 2 * MEBIBYTE
    general = size("client_max_body_size", CONFIGURATION.partition("error_page")[0])
    assert settings.json_body_max_bytes < general <= 2 * settings.json_body_max_bytes
    [told] = re.findall(r" 413, \"detail\": \"(.+?)\"", CONFIGURATION)
    assert f"{general // 1024} KiB" in told
    assert f"{limit // MEBIBYTE} MiB" in told


def test_nginx_leaves_timeouts_to_the_service() -> None:
    settings = Settings()
    assert seconds("client_header_timeout") == settings.header_timeout_seconds
    assert seconds("client_body_timeout") > settings.body_timeout_seconds
    assert seconds("send_timeout") == settings.send_timeout_seconds
    upstream, client = re.findall(r"^ *keepalive_timeout (\d+)s;$", CONFIGURATION, re.MULTILINE)
    assert int(upstream) < settings.keep_alive_seconds == int(client)
    usual, events, uploads = re.findall(
        r"^ *proxy_read_timeout (\d+)s;$", CONFIGURATION, re.MULTILINE
    )
    assert int(usual) > 2 * settings.database_timeout_seconds
    assert int(events) > max(MOST_SECONDS, COMMENT_SECONDS)
    assert int(uploads) > (settings.ad_images_max + 2) * settings.image_seconds


def test_nginx_keeps_nothing_on_a_disk() -> None:
    assert value("proxy_request_buffering") == "off"
    assert value("proxy_max_temp_file_size") == "0"


def test_nginx_logs_nothing_that_clients_write() -> None:
    [written] = re.findall(r"log_format adsvc escape=json (.*?);\n", CONFIGURATION, re.DOTALL)
    assert set(re.findall(r"\$(\w+)", written)) == {
        *("time_iso8601", "adsvc_request_id", "request_method", "status", "request_time"),
        *("body_bytes_sent", "upstream_addr", "upstream_status", "upstream_response_time"),
    }


def test_the_origins_allowed_are_those_of_the_service() -> None:
    found = re.findall(r'"(\S+)" +\$http_origin;', block("map .http_origin"))
    assert tuple(found) == Settings().cors_origins


@pytest.mark.parametrize(
    ("case", "meaning"),
    [
        ("400", BAD_REQUEST),
        ("404", NotFoundError),
        ("413", ContentTooLargeError),
        ("429", RateLimitedError),
        ("431", HEADERS_TOO_LARGE),
        ("default", UnavailableError),
    ],
)
def test_refusals_that_the_service_cannot_make_are_its_problems(
    case: str, meaning: type[RefusalError] | ProtocolProblem
) -> None:
    told = re.findall(rf"^ *{case} +'(.+)';$", block("map .status .adsvc_problem"), re.MULTILINE)
    problem = json.loads(f"{{{told[0]}}}")
    assert problem["type"] == f"/problems#{meaning.slug}"
    assert (problem["title"], problem["status"]) == (meaning.title, meaning.status)
    assert f"503 {UnavailableError.retry_after};" in block("map .status .adsvc_retry_after")


def test_containers_use_the_same_file_with_another_address() -> None:
    address = f"127.0.0.1:{Settings().port}"
    assert value("    server").split()[0] == address
    compose = (ROOT / "docker-compose.yml").read_text()
    assert f"s/{re.escape(address)}/adsvc:8080/" in compose
    assert CONFIGURATION.count(address) == 1


def test_continuous_integration_runs_pinned_actions_with_few_rights() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text()
    used = re.findall(r"uses: (\S+)", workflow)
    assert len(used) == 7
    for action in used:
        assert re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", action), action
    assert "permissions:\n  contents: read\n" in workflow
    assert "- run: .ci/run\n" in workflow
    assert "- run: make proof\n" in workflow
    assert 'python: ["3.11", "3.13"]' in workflow


def test_containers_have_limits() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    for name in ("database", "adsvc", "proxy"):
        service = compose["services"][name]
        assert re.fullmatch(r"\$\{\w+:-\d+[mg]\}", service["mem_limit"]), name
        assert service["restart"] == "unless-stopped", name
        for place in service.get("tmpfs", []):
            assert re.fullmatch(r"/[\w/.]+:size=\d+m", place), place
        if name != "database":
            assert service["read_only"], name
    [room] = re.findall(r"/tmp:size=(\d+)m", *compose["services"]["adsvc"]["tmpfs"])
    # A disk this small keeps a tenth of itself free.
    assert int(room) * MEBIBYTE * 0.9 > Settings().uploads_under_way_max_bytes


def test_one_client_cannot_have_all_connections_of_the_proxy_in_containers() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    [most] = re.findall(r"worker_connections (\d+);", compose["services"]["proxy"]["command"][-1])
    for limit in re.findall(r"^ *limit_conn adsvc_client (\d+);$", CONFIGURATION, re.MULTILINE):
        assert 10 * int(limit) < int(most)


def test_what_goes_into_the_image_is_let_in() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    let_in = [line[1:] for line in ignored if line.startswith("!")]
    copied = re.findall(
        r"^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text(), re.MULTILINE
    )
    assert copied
    for path in " ".join(copied).split():
        assert any(f"{path}/".startswith(f"{name}/") for name in let_in), path
        assert (ROOT / path).exists(), path
