"""The samples of the document do what they show, against a real server."""

import contextlib
import importlib
import io
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import samples
from adsvc.api.openapi.schemas import operations
from adsvc.settings import RateLimits, Settings
from samples import SampleCall, call_of
from support.contract.documents import Json, document_with
from support.contract.stage import Scene, Stage
from support.pictures import samples as pictures
from support.running.processes import serving

pytestmark = pytest.mark.heavy

CLIENTS = Path(__file__).parents[2] / "clients"

# `make test-clients` builds it.
TYPESCRIPT = CLIENTS / "typescript" / "build" / "src" / "index.js"

# An example cannot have what an authenticator signs, nor what an OpenID provider says: these are
# refused, for that alone.
SIGNED = {"addIdentity", "createPasskey", "logInByPasskey", "logInByProvider", "linkIdentity"}
PASSKEY = "/problems#invalid-(passkey|challenge)"

PROGRAM = """
import {{ AdsvcClient, memoryTokens }} from "{module}";
const tokens = memoryTokens({tokens});
const client = new AdsvcClient({{ baseUrl: "{url}", retry: false, tokens }});
{sample}
"""


@pytest.fixture(scope="module")
def document() -> Json:
    return document_with()


@pytest.fixture
def workplace(tmp_path: Path) -> Path:
    """Where the samples find the picture that they send."""
    place = tmp_path / "samples"
    place.mkdir()
    (place / samples.PHOTO).write_bytes(pictures.jpeg())
    return place


@pytest.fixture
def service(settings: Settings) -> Iterator[tuple[str, Stage]]:
    unlimited = settings.model_copy(update={"rate_limits": RateLimits.OFF, "undo_days": 30})
    with serving(unlimited) as server:
        stage = Stage(server.url, unlimited)
        stage.build()
        yield server.url, stage
        stage.close()


def run_all(
    document: Json,
    stage: Stage,
    write: Callable[[SampleCall], str],
    run: Callable[[str, Scene], None],
) -> None:
    """Every sample of one language, with what exists in the place of the example's ids."""
    for method, path, operation in operations(document):
        plain = write(call_of(document, method, path, operation, {}))
        assert plain in [sample["source"] for sample in operation["x-codeSamples"]]
        if "text/event-stream" in str(operation["responses"].get("200")):
            # It would not end. The clients' own tests follow streams.
            continue
        scene = stage.prepare(document, path, operation["operationId"])
        sample = scene.in_place(write(call_of(document, method, path, operation, scene.values)))
        refused = operation["operationId"] in SIGNED
        with pytest.raises(Exception, match=PASSKEY) if refused else contextlib.nullcontext():
            run(sample, scene)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is missing")
def test_samples_for_curl_work(document: Json, service: tuple[str, Stage], workplace: Path) -> None:
    url, stage = service
    (workplace / ".curlrc").write_text("silent\nshow-error\nfail-with-body\n")

    def run(sample: str, scene: Scene) -> None:
        environment = {
            **os.environ,
            "ADSVC": url,
            "TOKEN": scene.token or "",
            "CURL_HOME": str(workplace),
        }
        done = subprocess.run(
            ["bash", "-c", sample], cwd=workplace, env=environment, capture_output=True, check=False
        )
        assert done.returncode == 0, f"{sample}\n{done.stdout!r}\n{done.stderr!r}"

    run_all(document, stage, samples.curl, run)


@pytest.mark.long
def test_samples_for_python_work(
    document: Json,
    service: tuple[str, Stage],
    workplace: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url, stage = service
    monkeypatch.syspath_prepend(CLIENTS / "python" / "src")
    monkeypatch.chdir(workplace)
    adsvc_client = importlib.import_module("adsvc_client")

    def run(sample: str, scene: Scene) -> None:
        kept = scene.refresh_token
        with (
            adsvc_client.AdsvcClient(base_url=url, refresh_token=kept) as client,
            contextlib.redirect_stdout(io.StringIO()),
        ):
            exec(sample, {"client": client})  # noqa: S102 - it is what the document shows

    run_all(document, stage, samples.python, run)


@pytest.mark.skipif(not TYPESCRIPT.exists(), reason="the client for TypeScript is not built")
def test_samples_for_typescript_work(
    document: Json, service: tuple[str, Stage], workplace: Path
) -> None:
    url, stage = service

    def run(sample: str, scene: Scene) -> None:
        kept = {"accessToken": scene.token, "refreshToken": scene.refresh_token, "renewAt": 0}
        tokens = "" if scene.token is None else json.dumps(kept)
        program = PROGRAM.format(module=TYPESCRIPT.as_uri(), url=url, tokens=tokens, sample=sample)
        (workplace / "sample.mjs").write_text(program)
        done = subprocess.run(
            ["node", "sample.mjs"], cwd=workplace, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{sample}\n{done.stderr}"

    run_all(document, stage, samples.typescript, run)
