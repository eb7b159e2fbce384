"""The bar of setup: setting up and removing gives back every byte of any configuration (CF-51)."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gitmem.agents.hosts.host import SCOPES
from gitmem.agents.hosts.host_paths import PathTemplateFolders
from gitmem.agents.hosts.table import BY_NAME
from gitmem.agents.wiring import file_pieces, host_targets
from gitmem.agents.wiring.host_targets import SetupTarget
from gitmem.agents.wiring.templates import ADD, BLOCK, ConfigFragment
from gitmem.text import jsonc, toml
from tests.agents.wiring import files
from tests.agents.wiring.machine import PROGRAM, Machine
from tests.support.amounts import examples

# How many for each host; those that write files cost a wait for the disk each.
EXAMPLES = examples(6)
_calm = [HealthCheck.too_slow, HealthCheck.data_too_large]
thorough = settings(max_examples=EXAMPLES, suppress_health_check=_calm)
quick = settings(max_examples=max(3, EXAMPLES // 5), suppress_health_check=_calm)


def fill(draw: Any, targets: list[SetupTarget]) -> None:
    """Put files of others, or none, where those of hosts are."""
    for path in dict.fromkeys(target.path for target in targets):
        ours = [piece for target in targets if target.path == path for piece in target.pieces]
        content = draw(st.one_of(st.none(), contents(path, ours)))
        if content is not None:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_bytes(content)


def contents(path: str, ours: Any) -> st.SearchStrategy[bytes]:
    """What could stand in a file: of one that is all ours, nothing."""
    if Path(path).name == "gitmem.json":
        return st.sampled_from([b"", b"{}", b'{"version": 1}', b'{\r\n\t"hooks": {}\r\n}'])
    if any(piece.kind == BLOCK for piece in ours):
        own = any(piece.head for piece in ours) or path.endswith(".js")
        return st.just(b"") if own else files.text_files()
    if path.endswith(".toml"):
        return files.toml_files(hooks=any(piece.kind == ADD for piece in ours))
    return files.json_files()


def value(path: str, content: bytes) -> Any:
    """A file as its host reads it."""
    text = file_pieces.decode_file(content).text
    if path.endswith(".toml"):
        return toml.parse_toml(text)
    return jsonc.parse_jsonc(text) if "json" in path else text


@pytest.mark.parametrize("scope", ["", *SCOPES])
@pytest.mark.parametrize("name", BY_NAME)
@given(data=st.data())
@quick
def test_setup_then_remove_gives_back_every_byte(name: str, scope: str, data: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        fill(data.draw, machine.targets([name], scope))
        before = machine.tree()
        machine.setup([name], scope)
        once = machine.tree()
        assert all(not step.is_change for step in machine.setup([name], scope))
        assert machine.tree() == once
        machine.remove([name])
        assert machine.tree() == before


@given(data=st.data())
@quick
def test_in_whatever_order_agents_come_and_go_every_byte_comes_back(data: Any) -> None:
    names = list(BY_NAME)
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(Path(folder))
        fill(data.draw, machine.targets(names))
        before = machine.tree()
        for name in data.draw(st.permutations(names)):
            machine.setup([name])
        for name in data.draw(st.permutations(names)):
            machine.remove([name])
        assert machine.tree() == before


@pytest.mark.parametrize("name", BY_NAME)
@given(data=st.data())
@thorough
def test_the_result_parses_and_others_entries_are_as_they_were(name: str, data: Any) -> None:
    path, ours = data.draw(st.sampled_from(_files(name)))
    content = data.draw(contents(path, ours))
    made = file_pieces.insert_fragments(path, content, ours)
    _holds(value(path, made), value(path, content))
    assert all(file_pieces.find_fragment_value(path, made, our) is not None for our in ours)
    assert file_pieces.insert_fragments(path, made, ours) == made
    assert _comments(path, made) == _comments(path, content)


@pytest.mark.parametrize("name", BY_NAME)
@given(data=st.data())
@thorough
def test_without_its_record_our_part_comes_out_and_the_rest_means_the_same(
    name: str, data: Any
) -> None:
    path, ours = data.draw(st.sampled_from(_files(name)))
    content = data.draw(contents(path, ours))
    rest = file_pieces.remove_fragments(
        path, file_pieces.insert_fragments(path, content, ours), ours, content
    )
    assert _bare(value(path, rest or b"")) == _bare(value(path, content))
    assert _comments(path, rest or b"") == _comments(path, content)


def _comments(path: str, content: bytes) -> list[str]:
    """The comments of a JSON file in order."""
    if not path.endswith(".json"):
        return []
    text = file_pieces.decode_file(content).text
    clean = jsonc.blank_comments(text)
    return "".join(a if a != b else " " for a, b in zip(text, clean, strict=True)).split()


def _files(name: str) -> list[tuple[str, list[ConfigFragment]]]:
    """Every file of a host, in both scopes, with its pieces."""
    bases = PathTemplateFolders("linux", "/home/me", "/project", {})
    found: dict[str, list[ConfigFragment]] = {}
    for scope in SCOPES:
        for target in host_targets.setup_targets(bases, [BY_NAME[name]], PROGRAM, scope)[0]:
            found.setdefault(target.path, []).extend(target.pieces)
    return list(found.items())


def _holds(now: Any, was: Any) -> None:
    """Everything of ``was`` is in ``now``, in the same order."""
    if isinstance(was, dict):
        assert [key for key in now if key in was] == list(was)
        for key, inner in was.items():
            _holds(now[key], inner)
    elif isinstance(was, list):
        assert now[: len(was)] == was
    elif isinstance(was, str):
        assert now == was or ("gitmem" in now and now.startswith(was))
    else:
        assert now == was


def _bare(output: Any) -> Any:
    if isinstance(output, str):
        return output.rstrip()
    return {key: item for key, item in output.items() if key != "version"}  # needed, not ours
