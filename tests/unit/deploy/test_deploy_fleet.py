"""The shipped files for several nodes repeat settings of the service; here the two are compared."""

import re
from collections.abc import Iterator
from configparser import RawConfigParser
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from adsvc import __version__
from adsvc.api.pipeline.dispatch import LIVENESS_PATH, READINESS_PATH
from adsvc.kit.settings.validators import sender_address, smtp_server
from adsvc.settings import Jobs, Settings
from adsvc.worker.running import SHUTDOWN_GRACE_SECONDS
from adsvc_ops.cli import app
from adsvc_ops.cli.serve import GRACEFUL_SECONDS

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
NODES = ("node-1", "node-2")
WORKER = "adsvc-worker"
MANIFESTS = [
    manifest
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for manifest in yaml.safe_load_all(path.read_text())
]
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
NGINX = (DEPLOY / "nginx.conf").read_text()
MEBIBYTES = {"Mi": 1, "Gi": 1024}


def manifest(kind: str, name: str = "adsvc") -> dict[str, Any]:
    [found] = [
        manifest
        for manifest in MANIFESTS
        # The name of a job is made when it is created.
        if manifest["kind"] == kind and manifest.get("metadata", {}).get("name", name) == name
    ]
    return dict(found)


def pods() -> Iterator[dict[str, Any]]:
    for kind, name in (("Deployment", "adsvc"), ("Deployment", WORKER), ("Job", "")):
        yield manifest(kind, name)["spec"]["template"]["spec"]
    for job in cron_jobs():
        yield job["spec"]["jobTemplate"]["spec"]["template"]["spec"]


def cron_jobs() -> list[dict[str, Any]]:
    return [manifest for manifest in MANIFESTS if manifest["kind"] == "CronJob"]


def unit(path: Path) -> RawConfigParser:
    """The last of settings that stand there more than once."""
    parser = RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(path.read_text())
    return parser


def told() -> Iterator[tuple[str, str]]:
    """Where variables of the service are set, and which."""
    for service in ("adsvc", "worker", *NODES):
        yield from ((service, name) for name in COMPOSE["services"][service]["environment"])
    yield from (("ConfigMap", name) for name in manifest("ConfigMap")["data"])
    yield from (("Secret", name) for name in manifest("Secret")["stringData"])
    for path in UNITS:
        for name in re.findall(r"\b(ADSVC_\w+)=", path.read_text()):
            yield path.name, name


def test_no_applied_manifest_replaces_the_secret() -> None:
    kubernetes = DEPLOY / "kubernetes"
    applied = yaml.safe_load((kubernetes / "kustomization.yaml").read_text())["resources"]
    with_secret = [
        path.name
        for path in kubernetes.glob("*.yaml")
        if any(found["kind"] == "Secret" for found in yaml.safe_load_all(path.read_text()))
    ]
    assert with_secret == ["secret.example.yaml"]
    assert "secret.example.yaml" not in applied
    # All that is applied; the migration is created for each version, and the example never.
    others = {"kustomization.yaml", "migrate.yaml", "secret.example.yaml"}
    assert {*applied} == {path.name for path in kubernetes.glob("*.yaml")} - others


def test_every_image_has_the_tag_of_this_version() -> None:
    release = __version__.partition(".dev")[0]
    names = {"registry.example.com/adsvc", "registry.example.com/adsvc-backup"}
    images = [container["image"] for pod in pods() for container in pod["containers"]]
    assert len(images) == 7
    assert set(images) == {f"{name}:{release}" for name in names}
    [customized] = [found for found in MANIFESTS if found["kind"] == "Kustomization"]
    assert {(image["name"], image["newTag"]) for image in customized["images"]} == {
        (name, release) for name in names
    }


@pytest.mark.parametrize("name", ["adsvc@.service", "adsvc-worker.service"])
def test_journald_drops_no_lines_of_a_unit(name: str) -> None:
    assert unit(DEPLOY / "systemd" / name)["Service"]["LogRateLimitIntervalSec"] == "0"


def test_only_settings_that_there_are_are_set() -> None:
    known = {f"ADSVC_{name.upper()}" for name in Settings.model_fields}
    for where, name in told():
        if name.startswith("ADSVC_"):
            assert name in known, where


def unready_and_grace() -> Iterator[tuple[str, float, float]]:
    for node in NODES:
        service = COMPOSE["services"][node]
        grace = float(service["stop_grace_period"].removesuffix("s"))
        yield node, float(service["environment"]["ADSVC_UNREADY_SECONDS"]), grace
    grace = manifest("Deployment")["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
    unready = manifest("ConfigMap")["data"]["ADSVC_UNREADY_SECONDS"]
    yield "Deployment", float(unready), float(grace)
    text = (DEPLOY / "systemd/adsvc@.service").read_text()
    [seconds] = re.findall(r"ADSVC_UNREADY_SECONDS=(\d+)", text)
    [grace] = re.findall(r"^TimeoutStopSec=(\d+)$", text, re.MULTILINE)
    yield "systemd", float(seconds), float(grace)


@pytest.mark.parametrize(("where", "unready", "grace"), [*unready_and_grace()])
def test_a_node_has_time_to_end(where: str, unready: float, grace: float) -> None:
    assert grace >= unready + GRACEFUL_SECONDS + 2, where
    # The proxy keeps an unused connection for so long.
    [kept] = re.findall(r"^upstream [^}]*keepalive_timeout (\d+)s;", NGINX, re.MULTILINE)
    assert unready > float(kept), where


def test_a_worker_has_time_to_end_its_mails() -> None:
    unit_text = (DEPLOY / "systemd/adsvc-worker.service").read_text()
    [by_systemd] = re.findall(r"^TimeoutStopSec=(\d+)$", unit_text, re.MULTILINE)
    pod = manifest("Deployment", WORKER)["spec"]["template"]["spec"]
    by_compose = COMPOSE["services"]["worker"]["stop_grace_period"].removesuffix("s")
    for grace in (by_systemd, by_compose, pod["terminationGracePeriodSeconds"]):
        assert float(grace) >= Settings().mail_seconds + SHUTDOWN_GRACE_SECONDS + 5


def test_nodes_leave_to_a_worker_what_it_does() -> None:
    for node in NODES:
        assert COMPOSE["services"][node]["environment"]["ADSVC_JOBS"] == Jobs.OFF
        assert "worker" in COMPOSE["services"]["fleet"]["depends_on"]
    assert manifest("ConfigMap")["data"]["ADSVC_JOBS"] == Jobs.OFF
    [container] = manifest("Deployment", WORKER)["spec"]["template"]["spec"]["containers"]
    [node] = manifest("Deployment")["spec"]["template"]["spec"]["containers"]
    assert container["args"] == COMPOSE["services"]["worker"]["command"] == ["worker"]
    assert (container["image"], container["envFrom"]) == (node["image"], node["envFrom"])
    # One machine alone has no worker.
    assert "ADSVC_JOBS" not in COMPOSE["services"]["adsvc"]["environment"]


def test_mail_can_be_set_everywhere_and_its_password_is_a_secret() -> None:
    names = {"ADSVC_SMTP_URL", "ADSVC_MAIL_FROM", "ADSVC_MAIL_REQUIRED", "ADSVC_SITE_URL"}
    for service in ("adsvc", "worker", *NODES):
        environment = COMPOSE["services"][service]["environment"]
        assert {environment.get(name) for name in names} == {f"${{{name}:-}}" for name in names}
    assert "ADSVC_SMTP_URL" in manifest("Secret")["stringData"]
    smtp_server(manifest("Secret")["stringData"]["ADSVC_SMTP_URL"])
    sender_address(manifest("ConfigMap")["data"]["ADSVC_MAIL_FROM"])


def test_probes_ask_for_what_they_are_for() -> None:
    [container] = manifest("Deployment")["spec"]["template"]["spec"]["containers"]
    paths = {
        name: container[f"{name}Probe"]["httpGet"]["path"]
        for name in ("startup", "liveness", "readiness")
    }
    assert paths == {
        "startup": LIVENESS_PATH,
        "liveness": LIVENESS_PATH,
        "readiness": READINESS_PATH,
    }


def test_pods_may_do_nothing_that_they_need_not() -> None:
    user = re.search(r"^USER (\d+):(\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    assert user is not None
    for pod in pods():
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == int(user[1])
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        [container] = pod["containers"]
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert "memory" in container["resources"]["limits"]
        mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        assert {volume["name"] for volume in pod["volumes"]} == mounted.keys()
        # Only backups have the password of the repository.
        variables = {one["name"]: one.get("value", "") for one in container.get("env", ())}
        password = variables.get("RESTIC_PASSWORD_FILE")
        assert mounted.get("key") == (password and str(Path(password).parent))
        mounted.pop("key", None)
        assert mounted == {"data": "/data", "tmp": "/tmp"}


@pytest.mark.heavy
def test_what_is_done_regularly_are_commands_with_options_that_there_are() -> None:
    place = "restic:s3:https://s3.example.net/backups/adsvc"
    wanted = {
        "adsvc-backup": ["backup", "--to", place, "--keep", "14"],
        "adsvc-backup-verify": ["verify", place],
        "adsvc-sweep": ["sweep"],
        "adsvc-verify": ["verify", "--sample", "10"],
    }
    found = {}
    for job in cron_jobs():
        spec = job["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        arguments = spec["containers"][0]["args"]
        found[job["metadata"]["name"]] = arguments
        # A backup beside another would only wait for its turn.
        assert job["spec"]["concurrencyPolicy"] == "Forbid"
    assert found == wanted
    for name, arguments in wanted.items():
        command = unit(DEPLOY / f"systemd/{name}.service")["Service"]["ExecStart"]
        given = {"${BACKUP_PLACE}": place, "${BACKUP_KEEP}": "14"}
        assert [given.get(word, word) for word in command.split()[1:]] == arguments
        timer = unit(DEPLOY / f"systemd/{name}.timer")["Timer"]
        assert (timer["Persistent"], "OnCalendar" in timer) == ("true", True)
        # With each option of theirs the command is known.
        options = [word for word in arguments if word.startswith("--")]
        told = CliRunner().invoke(app, [arguments[0], "--help"], env={"COLUMNS": "200"}).output
        assert all(option in told for option in options), name


def test_pods_have_room_for_uploads() -> None:
    [size] = [
        volume["emptyDir"]["sizeLimit"]
        for volume in manifest("Deployment")["spec"]["template"]["spec"]["volumes"]
        if volume["name"] == "tmp"
    ]
    mebibytes = int(size[:-2]) * MEBIBYTES[size[-2:]]
    assert mebibytes * 0.9 > Settings().uploads_under_way_max_bytes / 1024**2


def test_services_and_budgets_choose_the_pods_that_serve() -> None:
    labels = manifest("Deployment")["spec"]["template"]["metadata"]["labels"]
    chosen = [
        manifest("Deployment")["spec"]["selector"]["matchLabels"],
        manifest("Service")["spec"]["selector"],
        manifest("PodDisruptionBudget")["spec"]["selector"]["matchLabels"],
    ]
    assert chosen == [labels] * 3
    for kind, name in (("Job", ""), ("Deployment", WORKER)):
        assert manifest(kind, name)["spec"]["template"]["metadata"]["labels"] != labels


def test_containers_of_the_fleet_have_limits_and_addresses_that_stay() -> None:
    services = COMPOSE["services"]
    for name in (*NODES, "worker", "s3", "fleet"):
        assert services[name]["profiles"] == ["fleet"]
        assert re.fullmatch(r"\$\{\w+:-\d+[mg]\}", services[name]["mem_limit"]), name
    addresses = [services[node]["networks"]["fleet"]["ipv4_address"] for node in NODES]
    upstreams = re.findall(r"server (\S+):8080 max_fails=0;", services["fleet"]["command"][-1])
    assert upstreams == addresses
    proxy = services["fleet"]["networks"]["fleet"]["ipv4_address"]
    for node in NODES:
        assert services[node]["environment"]["ADSVC_TRUSTED_PROXIES"] == proxy


HARDENED = {
    "CapabilityBoundingSet": "",
    "MemoryDenyWriteExecute": "yes",
    "NoNewPrivileges": "yes",
    "PrivateTmp": "yes",
    "ProtectSystem": "strict",
    "SystemCallFilter": "~@privileged",
    "User": "adsvc",
}


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_units_may_do_nothing_that_they_need_not(path: Path) -> None:
    service = unit(path)["Service"]
    assert {name: service.get(name) for name in HARDENED} == HARDENED
    assert service["ExecStart"].startswith("/opt/adsvc/bin/adsvc ")
    if service.get("Type") == "exec":
        # The first process passes them to the others.
        assert service["KillMode"] == "mixed"
