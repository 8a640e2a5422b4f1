"""The shipped alerts and dashboard fit the metrics that the service exports."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from adsvc.metrics import METRICS

ROOT = Path(__file__).parents[3]
PROMETHEUS = ROOT / "deploy" / "prometheus"
DASHBOARD = ROOT / "deploy" / "grafana" / "adsvc.json"
NAME = re.compile(r"\badsvc_\w+")
# What Prometheus makes of one of ours.
PARTS = ("_bucket", "_count", "_sum")


def exposed() -> set[str]:
    names = set()
    for metric in METRICS.values():
        parts = PARTS if metric.type == "histogram" else ("",)
        names |= {metric.name + part for part in parts}
    return names


# Of adsvc, and of the machine and PostgreSQL.
ALERTS = ("alerts", "machine")


def rules(*names: str) -> list[dict[str, Any]]:
    return [
        rule
        for name in names or ALERTS[:1]
        for group in yaml.safe_load((PROMETHEUS / f"{name}.yml").read_text())["groups"]
        for rule in group["rules"]
    ]


def expressions() -> Iterator[str]:
    for rule in rules(*ALERTS):
        yield rule["expr"]
    dashboard = json.loads(DASHBOARD.read_text())
    for panel in dashboard["panels"]:
        yield from (target["expr"] for target in panel["targets"])
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["query"]["query"]


def test_metrics_in_alerts_and_the_dashboard_exist() -> None:
    asked = {name for text in expressions() for name in NAME.findall(text)}
    assert len(asked) > 30
    assert asked <= exposed()


def test_labels_in_queries_exist() -> None:
    labels = {label for metric in METRICS.values() for label in metric.labels}
    # The last two are of Prometheus.
    known = labels | {"instance", "le", "job"}
    for text in expressions():
        for group in re.findall(r"\bby \(([\w, ]+)\)", text):
            assert set(group.split(", ")) <= known, text
        for label in re.findall(r"(\w+)\s*=~?\"", text):
            assert label in known, text


@pytest.mark.heavy
def test_every_alert_says_where_an_operator_reads_on() -> None:
    for file, page in zip(ALERTS, ("alerts.md", "machine-alerts.md"), strict=True):
        text = (ROOT / "docs" / "operations" / page).read_text()
        for rule in rules(file):
            name = rule["alert"]
            assert rule["annotations"]["runbook"] == f"docs/operations/{page}#{name.lower()}"
            assert re.search(rf"^## {name}\n\n\S", text, re.MULTILINE), name
            assert rule["labels"]["severity"] in {"page", "ticket"}


def test_work_that_piles_up_is_told_of() -> None:
    asked = {name for rule in rules() for name in NAME.findall(rule["expr"])}
    counts = {"adsvc_search_alerts_due", "adsvc_fan_outs_pending", "adsvc_push_pending"}
    assert counts | {"adsvc_consumer_lag_events", "adsvc_outbox_oldest_seconds"} <= asked


def test_panels_have_places_of_their_own() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}
    assert len(places) == len(panels) == len({panel["id"] for panel in panels})


def test_alerts_reach_an_alertmanager_and_by_it_a_mailbox() -> None:
    prometheus = yaml.safe_load((PROMETHEUS / "prometheus.yml").read_text())
    [manager] = prometheus["alerting"]["alertmanagers"]
    # Where Debian's alertmanager listens.
    assert manager["static_configs"] == [{"targets": ["127.0.0.1:9093"]}]
    assert prometheus["rule_files"] == [f"{name}.yml" for name in ALERTS]
    for job in prometheus["scrape_configs"]:
        targets = f"targets/{job['job_name']}.yml"
        assert job["file_sd_configs"] == [{"files": [targets]}]
        assert yaml.safe_load((PROMETHEUS / targets).read_text())[0]["targets"]
    routing = yaml.safe_load((PROMETHEUS / "alertmanager.yml").read_text())
    mailed = {
        receiver["name"]: [config["to"] for config in receiver["email_configs"]]
        for receiver in routing["receivers"]
    }
    assert mailed == {"page": ["pager@example.com"], "ticket": ["operators@example.com"]}
    [page] = routing["route"]["routes"]
    assert (page["receiver"], page["matchers"]) == ("page", ['severity="page"'])
    assert routing["route"]["receiver"] == "ticket"
    # Both severities of the rules have a route: that of tickets is the default.
    assert {rule["labels"]["severity"] for rule in rules()} == {"page", "ticket"}
    page_of_production = (ROOT / "docs" / "production.md").read_text()
    assert "deploy/prometheus/alertmanager.yml" in page_of_production


@pytest.mark.heavy
@pytest.mark.skipif(
    shutil.which("promtool") is None,
    reason="the rules of alerts are not checked: promtool is missing (Debian's package prometheus)",
)
def test_the_alerts_fire_when_they_should_and_not_when_all_is_well() -> None:
    tests = [("test", "rules", f"{name}_test.yml") for name in ALERTS]
    for words in (("check", "config", "prometheus.yml"), *tests):
        ran = subprocess.run(
            ["promtool", *words], cwd=PROMETHEUS, capture_output=True, text=True, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
    for name in ALERTS:
        tested = (PROMETHEUS / f"{name}_test.yml").read_text()
        for rule in rules(name):
            assert f'alertname="{rule["alert"]}"' in tested, rule["alert"]
