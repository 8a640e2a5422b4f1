"""The commands of docs/operations/moving.md, run as they are on the page: two data directories are
two machines, and each has an embedded database.
"""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import Environment
from support.running.commands import done, run_here

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/operations/moving.md").read_text()
SECTIONS = {part.partition("\n")[0]: part for part in PAGE.split("\n## ")[1:]}
COMMAND = re.compile(r"`((?:[A-Z_]+=\S+ )?adsvc(?:-run)? [^`]+)`")
DIRECTORY, BUCKET = "DIR", "s3://bucket/ads"


def commands(section: str, directory: Path) -> Sequence[tuple[Environment, list[str]]]:
    """The variables and the arguments of each; what the page calls a place is in the directory."""
    found = []
    for text in COMMAND.findall(SECTIONS[section]):
        here = text.replace(DIRECTORY, f"{directory}/backup").replace(BUCKET, f"{directory}/bucket")
        words = shlex.split(here)
        count = "=" in words[0]
        variables = dict(word.split("=", 1) for word in words[:count])
        found.append((variables, words[count + 1 :]))
    return found


@pytest.mark.heavy
@pytest.mark.long
def test_an_installation_moves_to_another_machine_and_another_store(
    embedded_environment: Environment, tmp_path: Path
) -> None:
    old = embedded_environment
    done("seed", "--users", "1", "--ads", "2", environment=old)
    new = {
        **old,
        "ADSVC_DATA_DIR": str(tmp_path / "new"),
        "ADSVC_JWT_SECRET": Path(old["ADSVC_DATA_DIR"], "jwt_secret").read_text(),
    }
    moving = commands("To another machine", tmp_path)
    names = [words[0] for _, words in moving]
    assert names == ["maintenance", "backup", "restore", "doctor", "maintenance"]
    (_, close), (_, backup), (_, restore), (_, examine), (_, reopen) = moving
    done(*close, environment=old)
    done(*backup, environment=old)
    users = done("users", "list", environment=old)
    done(*restore, environment=new)
    assert done("users", "list", environment=new) == users
    assert done("maintenance", environment=new).startswith("read-only")
    assert "Maintenance is read-only" in run_here(*examine, "--json", environment=new).stdout
    done(*reopen, environment=new)

    [(variables, look)] = commands("To another domain", tmp_path)
    examined = run_here(*look, "--json", environment={**new, **variables})
    assert variables["ADSVC_SITE_URL"].removeprefix("https://") in examined.stdout

    # As the first start with a bucket does.
    (tmp_path / "bucket").mkdir()
    shutil.copy(tmp_path / "new/images/.installation", tmp_path / "bucket")
    sections = ("From a directory to a bucket, or back", "Which database, which pictures")
    for _, words in (each for section in sections for each in commands(section, tmp_path)):
        done(*words, environment=new)
    pictures = {path.name for path in (tmp_path / "new/images").rglob("[0-9a-f]*.*")}
    assert {path.name for path in (tmp_path / "bucket").rglob("[0-9a-f]*.*")} == pictures
    [sweep] = re.findall(r"^17 4 .*adsvc (sweep)", SECTIONS["Sweep"], re.MULTILINE)
    done(sweep, environment=new)


@pytest.mark.heavy
def test_two_sites_have_nothing_in_common_but_the_program(tmp_path: Path) -> None:
    [block] = re.findall(r"```sh\n(.*?)```", SECTIONS["Two sites on one machine"], re.DOTALL)
    for name in ("etc/systemd/system", "etc/nginx/conf.d", "usr/local/sbin", "var/lib/adsvc"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "usr/local/src").mkdir()
    (tmp_path / "usr/local/src/adsvc").symlink_to(ROOT)
    (tmp_path / "var/lib/adsvc/web").symlink_to(tmp_path)
    [run] = re.findall(
        r"cat > /usr/local/sbin/adsvc-run <<'\w+'\n(.*?)\n\w+\n",
        (ROOT / "docs/production.md").read_text(),
        re.DOTALL,
    ) or ['#!/bin/sh\n. /etc/adsvc/adsvc.env\nexec /opt/adsvc/bin/adsvc "$@"']
    (tmp_path / "usr/local/sbin/adsvc-run").write_text(run)
    # What only root can do.
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    for name in ("useradd", "gpasswd", "nginx"):
        (stubs / name).write_text("#!/bin/sh\n")
        (stubs / name).chmod(0o755)
    script = re.sub(r"(?<=[ >])/(?=etc|var|usr)", f"{tmp_path}/", block)
    script = script.replace("$(readlink /var", f"$(readlink {tmp_path}/var")
    script = script.replace("--owner=$SITE --group=$SITE", "")
    environment = {"PATH": f"{stubs}:{os.environ['PATH']}"}
    subprocess.run(["bash", "-ec", script], check=True, env=environment, cwd=tmp_path)
    units = {path.name: path.read_text() for path in (tmp_path / "etc/systemd/system").iterdir()}
    assert {name.replace("shop", "adsvc") for name in units} == {
        path.name for path in (ROOT / "deploy/systemd").iterdir()
    }
    proxy = (tmp_path / "etc/nginx/conf.d/shop.conf").read_text()
    assert "shop.example.com" in proxy
    assert "127.0.0.1:8090" in proxy
    for name, text in {**units, "shop.conf": proxy}.items():
        for line in text.splitlines():
            left = line.replace("/opt/adsvc/bin/adsvc", "").partition("#")[0]
            assert "adsvc" not in left.lower().replace("adsvc_", ""), f"{name}: {line}"
    assert "/etc/shop/shop.env" in (tmp_path / "usr/local/sbin/shop-run").read_text()
