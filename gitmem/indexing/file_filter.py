"""Deciding which files are indexed: by name before they are read, by content afterwards.

Never those that hold secrets by custom (``secret_files``). Every refusal has a reason that the
report counts.
"""

from __future__ import annotations

import re

from gitmem.indexing import secret_files
from gitmem.store.code.size_limit import TOO_LARGE

LARGEST = 1 << 20
# What `index.max_file_bytes` may be at most: more makes more pieces than are stored for one file.
LARGEST_EVER = 4 << 20
LONGEST_LINE = 5_000
LONGEST_AMONG_OTHERS = 20_000
# Files over LARGE are read up to so many bytes in one run, the smallest first: indexing takes
# 2 to 7 s of CPU for each megabyte, and a commit may hold hundreds of generated files.
LARGE = 256 << 10
LARGE_TOGETHER = 6 << 20
_PROBE = 8_192

_FOLDERS = frozenset(
    {
        "node_modules",
        "vendor",
        "third_party",
        "bower_components",
        "__pycache__",
        ".git",
        ".gitmem",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        ".tox",
        ".nox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
        ".idea",
        ".vscode",
        ".next",
        ".nuxt",
        ".gradle",
        ".terraform",
    }
)
# Output of builds, unless somebody tracks it: then it is source that happens to be called so.
_OUTPUT = frozenset({"dist", "build", "target", "out", "coverage", "htmlcov"})
# Logs too, unless tracked.
_LOGS = ".log"
_LOCKS = frozenset(
    {
        "package-lock.json",
        "npm-shrinkwrap.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "bun.lock",
        "poetry.lock",
        "uv.lock",
        "pdm.lock",
        "pipfile.lock",
        "cargo.lock",
        "gemfile.lock",
        "composer.lock",
        "go.sum",
        "flake.lock",
        "mix.lock",
        "packages.lock.json",
    }
)
_MEDIA = re.compile(
    r"\.(png|jpe?g|gif|webp|avif|ico|bmp|tiff?|svgz?|psd|mp[34]|m4a|wav|ogg|flac|mov|avi|mkv|webm"
    r"|ttf|otf|woff2?|eot|zip|gz|bz2|xz|zst|7z|rar|tar|tgz|jar|war|whl|egg|deb|rpm|dmg|iso"
    r"|pdf|docx?|xlsx?|pptx?|odt|sqlite3?|db|parquet|npy|npz|pkl|onnx|pt|safetensors|bin|dat"
    r"|so|dylib|dll|exe|o|a|obj|lib|class|pyc|wasm|map|min\.js|min\.css)$",
    re.IGNORECASE,
)
# No text begins so; should a binary file, it is refused all the same.
_UNREAD = b"\0gitmem: not read: "
_POINTER = b"version https://git-lfs.github.com/spec/"


def filter_rules_fingerprint() -> str:
    """A text that changes when the limits and patterns for choosing files change."""
    data = [*vars(secret_files).items(), *globals().items()]
    # A pattern itself shows no more than 200 characters of its text.
    values = [getattr(value, "pattern", value) for name, value in data if name.strip("_").isupper()]
    return repr([sorted(value) if isinstance(value, frozenset) else value for value in values])


def name_refusal_reason(path: str, is_tracked: bool = True) -> str:
    """Why a path is not indexed, such as ``lock file``; "" if its name allows indexing.

    For a file that git does not track (``is_tracked`` is false), build folders and logs count too.
    """
    folders, _, name = path.rpartition("/")
    reason = secret_files.secret_file_reason(path)
    if reason:
        return reason
    above = folders.split("/")
    if not _FOLDERS.isdisjoint(above) or (not is_tracked and not _OUTPUT.isdisjoint(above)):
        return "excluded folder"
    if name.lower() in _LOCKS:
        return "lock file"
    if not is_tracked and name.lower().endswith(_LOGS):
        return "log"
    if _MEDIA.search(name):
        return "binary"
    return ""


def placeholder_for_unread_file(reason: str, size: int) -> bytes:
    """Bytes to pass in place of the content of a file that is not read, with the reason.

    ``content_refusal_reason`` reads the reason from them.
    """
    return _UNREAD + f"{reason}\0{size}".encode()


def file_size_in_placeholder(data: bytes) -> int:
    """The size in bytes of a file, if ``data`` stands for a file that was not read; else 0.

    ``data`` is a file's content, or what ``placeholder_for_unread_file`` made in its place.
    """
    return int(data.rpartition(b"\0")[2]) if data.startswith(_UNREAD) else 0


def content_refusal_reason(data: bytes, max_bytes: int = LARGEST, *, is_prose: bool = False) -> str:
    """Why content is not indexed, in a word or two; "" if it is text worth indexing.

    ``data`` is the content, or what ``placeholder_for_unread_file`` made in its place. It may have
    ``max_bytes`` bytes; with ``is_prose`` its lines may be as long as a paragraph.
    """
    if data.startswith(_UNREAD):
        return data[len(_UNREAD) :].partition(b"\0")[0].decode()
    if len(data) > max_bytes:
        return TOO_LARGE
    if data.startswith(_POINTER):
        return "lfs pointer"
    if not data.strip():
        return "empty"
    if is_utf16(data):
        data = decode_text(data).encode()
    elif b"\0" in data[:_PROBE]:
        return "binary"
    if secret_files.is_sql_dump(data):
        return "database dump"
    if is_minified(data, is_prose=is_prose):
        return "minified"
    return ""


def path_contains_secret(path: str) -> bool:
    """Whether the path itself holds a secret, such as a token: it could not be shown or stored."""
    from gitmem.store.db.redaction_gate import contains_secret  # noqa: PLC0415 - new paths only

    return contains_secret(path)


def is_utf16(data: bytes) -> bool:
    """Whether the content begins with the byte order mark of UTF-16."""
    return data.startswith((b"\xff\xfe", b"\xfe\xff"))


def is_minified(data: bytes, *, is_prose: bool = False) -> bool:
    """Whether most of the content is in very long lines, as in minified code.

    With ``is_prose`` very long words count instead.
    """
    if len(data) <= LONGEST_LINE:
        return False
    long = [
        size for size in map(len, data.split(None if is_prose else b"\n")) if size > LONGEST_LINE
    ]
    return bool(long) and (max(long) > LONGEST_AMONG_OTHERS or 2 * sum(long) > len(data))


def decode_text(data: bytes) -> str:
    """Content decoded as UTF-16 or UTF-8, with line ends ``\\n``; broken bytes are replaced."""
    text = data.decode("utf-16" if is_utf16(data) else "utf-8-sig", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
