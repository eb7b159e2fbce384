"""Reading the manifests of package managers: name, description, dependencies, entry points.

Pure: it reads texts. A manifest that cannot be parsed is empty: its own tool reports the error.
"""

from __future__ import annotations

import re
from typing import Any

from gitmem.model.frozen import dataclass

NAMES = (
    *("pyproject.toml", "package.json", "Cargo.toml", "go.mod", "composer.json", "mix.exs"),
    *("Gemfile", "requirements.txt", "pom.xml", "build.gradle", "build.gradle.kts"),
    *("Package.swift", "build.zig.zon", "setup.cfg", "deno.json"),
)
_REQUIREMENT = re.compile(r"^[A-Za-z0-9][\w.-]*")
_GO = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/\S+)\s+v\S+", re.MULTILINE)
_GEM = re.compile(r"^\s*gem\s+[\"']([\w-]+)", re.MULTILINE)
_HEX = re.compile(r"\{:(\w+),\s*[\"'~>(]")
_MAVEN = re.compile(r"<dependency>.*?<artifactId>([^<]+)</artifactId>", re.DOTALL)
_GRADLE = re.compile(r"(?:implementation|api)[ (]+[\"']([^\"':]+:[^\"':]+)")
_SWIFT = re.compile(r"\.package\([^)]*url:\s*\"[^\"]*/([\w.-]+?)(?:\.git)?\"")


@dataclass(frozen=True, slots=True)
class Manifest:
    """Name, dependencies and so on of a package manifest such as package.json; empty if missing.

    ``entries`` are the programs that the package starts.
    """

    path: str
    name: str = ""
    description: str = ""
    dependencies: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()


def read_manifest(path: str, text: str) -> Manifest:
    """Parse a package manifest by its file name; all fields are empty if it is invalid."""
    name = path.rpartition("/")[2]
    reader = _READERS.get(name)
    if reader is None:
        return Manifest(path)
    try:
        manifest: Manifest = reader(path, text)
        return manifest
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return Manifest(path)


def _toml(text: str) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415 - 16 ms

    return tomllib.loads(text)


def _json(text: str) -> dict[str, Any]:
    import json  # noqa: PLC0415 - as above

    tree = json.loads(text)
    return tree if isinstance(tree, dict) else {}


def _pyproject(path: str, text: str) -> Manifest:
    tree = _toml(text)
    project = tree.get("project") or tree.get("tool", {}).get("poetry", {})
    needed = project.get("dependencies", ())
    return Manifest(
        path,
        str(project.get("name", "")),
        str(project.get("description", "")),
        _requirements(needed),
        tuple(project.get("scripts", {})),
    )


def _requirements(lines: Any) -> tuple[str, ...]:
    matches = (_REQUIREMENT.match(str(line).strip()) for line in lines)
    return tuple(dict.fromkeys(match[0] for match in matches if match and match[0] != "python"))


def _package(path: str, text: str) -> Manifest:
    tree = _json(text)
    started = tree.get("bin", {})
    entries = list(started.values()) if isinstance(started, dict) else [started]
    entries += [tree[key] for key in ("main", "module") if isinstance(tree.get(key), str)]
    return Manifest(
        path,
        str(tree.get("name", "")),
        str(tree.get("description", "")),
        tuple(tree.get("dependencies", {})),
        tuple(dict.fromkeys(map(str, entries))),
    )


def _composer(path: str, text: str) -> Manifest:
    tree = _json(text)
    needed = tuple(name for name in tree.get("require", {}) if "/" in name)
    return Manifest(path, str(tree.get("name", "")), str(tree.get("description", "")), needed)


def _cargo(path: str, text: str) -> Manifest:
    tree = _toml(text)
    package = tree.get("package", {})
    started = tuple(
        str(program.get("path") or program.get("name", "")) for program in tree.get("bin", ())
    )
    description = package.get("description", "")
    return Manifest(
        path,
        str(package.get("name", "")),
        description if isinstance(description, str) else "",
        tuple(tree.get("dependencies", {})) or tuple(tree.get("workspace", {}).get("members", ())),
        started,
    )


def _go(path: str, text: str) -> Manifest:
    module = re.search(r"^module\s+(\S+)", text, re.MULTILINE)
    direct = "\n".join(line for line in text.split("\n") if "// indirect" not in line)
    return Manifest(path, module[1] if module else "", "", tuple(_GO.findall(direct)))


def _mix(path: str, text: str) -> Manifest:
    app = re.search(r"app:\s*:(\w+)", text)
    match = re.search(r"@?description:?\s+\"([^\"]+)\"", text)
    needed = tuple(dict.fromkeys(_HEX.findall(text)))
    return Manifest(path, app[1] if app else "", match[1] if match else "", needed)


def _dependencies_by(pattern: re.Pattern[str]) -> Any:
    return lambda path, text: Manifest(
        path, dependencies=tuple(dict.fromkeys(pattern.findall(text)))
    )


_READERS: dict[str, Any] = {
    "pyproject.toml": _pyproject,
    "package.json": _package,
    "deno.json": _package,
    "composer.json": _composer,
    "Cargo.toml": _cargo,
    "go.mod": _go,
    "mix.exs": _mix,
    "Gemfile": _dependencies_by(_GEM),
    "pom.xml": _dependencies_by(_MAVEN),
    "build.gradle": _dependencies_by(_GRADLE),
    "build.gradle.kts": _dependencies_by(_GRADLE),
    "Package.swift": _dependencies_by(_SWIFT),
    "requirements.txt": lambda path, text: Manifest(
        path, dependencies=_requirements(text.split("\n"))
    ),
}
