"""Kimi Code keeps a file for each folder that its user trusts."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from gitmem.agents.hosts import kimi
from gitmem.model.frozen import replace
from tests.agents.wiring.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine.with_program(tmp_path)


def test_kimi_starts_a_projects_server_where_a_file_says_that_it_is_trusted(
    machine: Machine,
) -> None:
    machine.setup(["kimi"])
    result = machine.judged("kimi")
    assert (result.state, "Trust this folder" in result.reasons[0]) == ("untrusted", True)
    digest = hashlib.sha256(str(machine.project).encode()).hexdigest()[:12]
    record = machine.home / ".kimi-code" / "workspace-trust" / f"wd_project_{digest}"
    record.parent.mkdir()
    record.write_text(json.dumps({"root": str(machine.project), "trustedAt": 1}))
    assert machine.judged("kimi").state == "configured"
    record.rename(record.with_name("wd_project_000000000000"))
    assert machine.judged("kimi").state == "untrusted"


def test_kimi_names_the_file_for_a_folder_as_kimi_does() -> None:
    """Names as Kimi Code 2.1.0 makes them (``encodeWorkDirKey``, run with Node)."""
    for root, name in (
        ("/home/ada/My Shop!", "wd_my-shop_"),
        ("/home/ada/-..-", "wd_workspace_"),
        ("/home/ada/" + "x" * 39 + "-y", "wd_" + "x" * 39 + "_"),
        ("/home/ada/shop/", "wd_shop_"),
    ):
        digest = hashlib.sha256(root.rstrip("/").encode()).hexdigest()[:12]
        assert kimi.folder_trust_file_template(root) == f"{{kimi}}/workspace-trust/{name}{digest}"
    assert kimi.folder_trust_file_template("C:\\Work\\Shop") == kimi.folder_trust_file_template(
        "c:/work/shop"
    )


def test_each_folder_in_which_kimi_is_started_is_trusted_by_itself(
    machine: Machine, tmp_path: Path
) -> None:
    """Its server stands where it is found from below; the record is of the folder itself."""
    machine.setup(["kimi"])
    assert (machine.project / ".mcp.json").exists()
    approve(machine, machine.project)
    inner = machine.project / "sub"
    machine.bases = replace(machine.bases, folder=str(inner))
    assert machine.judged("kimi").state == "untrusted"
    approve(machine, inner)
    assert machine.judged("kimi").state == "configured"


def approve(machine: Machine, folder: Path) -> None:
    name = kimi.folder_trust_file_template(str(folder)).rpartition("/")[2]
    record = machine.home / ".kimi-code" / "workspace-trust" / name
    record.parent.mkdir(exist_ok=True)
    record.write_text(json.dumps({"root": str(folder), "trustedAt": 1}))


def test_a_server_where_kimi_reads_it_too_is_seen(machine: Machine) -> None:
    """An entry of gitmem's name that is not gitmem's is a danger wherever it stands."""
    path = machine.project / ".kimi-code" / "mcp.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"mcpServers": {"gitmem": {"command": "evil", "args": ["mcp"]}}}))
    assert machine.judged("kimi").state == "danger"


def test_a_damaged_record_is_reported(machine: Machine) -> None:
    machine.setup(["kimi"])
    digest = hashlib.sha256(str(machine.project).encode()).hexdigest()[:12]
    record = machine.home / ".kimi-code" / "workspace-trust" / f"wd_project_{digest}"
    record.parent.mkdir()
    record.write_text("{")
    result = machine.judged("kimi")
    assert result.state == "untrusted"
    assert any(f"{record} is damaged" in reason for reason in result.reasons), result.reasons
