"""A bare repository of gitmem's own, between the store and the user's remote.

Records lie in it as blobs, one commit for each batch, under ``refs/gitmem/devices/<device>``; what
was fetched is under ``refs/fetched/<remote>/``. It is in the user's data folder, so that neither
the settings nor the hooks of a stranger's repository apply, and nothing of it is in the user's own
repository: not in ``git log --all``, not in a push. dulwich writes objects and refs; the git binary
does transport and asks for credentials as the user has set it up, without a prompt.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence

from gitmem.errors import GitmemError, Unavailable
from gitmem.git.process import FinishedProcess, hide_credentials, last_error_line
from gitmem.git.runner import call_git, git_environment, run_git
from gitmem.model.frozen import dataclass

OWN = "refs/gitmem/devices/"
_FETCHED = "refs/fetched/"
FILE_NAME = "records.jsonl"
# Of a blob with records; a larger one is refused unread.
LARGEST_BLOB = 8 << 20
SECONDS = 60.0
_DIGITS = frozenset("0123456789abcdef")
# For every call: nothing asks, nothing large is loaded, packs are streamed.
_SETTINGS = (
    ("core.bigFileThreshold", "8m"),
    ("fetch.unpackLimit", "1"),
    ("fetch.recurseSubmodules", "false"),
    ("fetch.writeCommitGraph", "false"),
    ("gc.autoDetach", "false"),
    ("core.askPass", ""),  # also none from SSH_ASKPASS
    ("credential.interactive", "never"),
    ("push.gpgSign", "false"),
    ("protocol.version", "2"),
)
# What git prints, and what it means for the user: words, sentence, advice.
_REASONS = (
    (("could not read Username", "could not read Password", "terminal prompts disabled",
      "Authentication failed", "Permission denied (publickey", "HTTP 401", "error: 401"),
     "The remote asks for credentials, and git has none that work without a question",
     "Log in once with git itself (git ls-remote {url}), with a credential helper or an ssh key."),
    (("Host key verification failed",),
     "The remote's ssh host key is not known here",
     "Connect once with ssh yourself and check the key."),
    (("protected branch", "pre-receive hook declined", "hook declined", "deny updating",
      "refusing to", "funny refname", "prohibited", "not allowed", "hidden ref"),
     "The remote does not accept refs under refs/gitmem",
     "Ask who runs it, use another remote (--remote NAME), or share a file: gitmem export "
     "--shared."),
    (("HTTP 403", "error: 403", "access denied", "Permission to", "permission denied",
      "Permission denied", "insufficient permission", "not exported", "not enabled", "read-only"),
     "You may not write to the remote",
     "Ask for the right to push, or use another remote: --remote NAME."),
    (("Could not resolve host", "unable to access", "Connection refused", "Connection timed out",
      "Network is unreachable", "Could not connect", "unable to connect"),
     "The remote cannot be reached",
     "Check the network; nothing is lost, the next sync sends it."),
    (("does not appear to be a git repository", "not found", "No such file", "not exist"),
     "There is no git repository at the remote's address",
     "Check it with: git remote -v"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SharedMemoryBlob:
    """A git blob with shared memories as lines of JSON: its id, its size in bytes, its content.

    The content is None if the blob is larger than 8 MB or not here.
    """

    id: str
    size: int
    content: bytes | None


class SharedMemoryRepository:
    """gitmem's own bare git repository with the memories that are shared through a remote.

    It is in the folder ``path``, and made there if missing. Each device (one copy of a project's
    database) commits to its own ref, ``refs/gitmem/devices/<device>``. ``settings`` are git's (key,
    value) for talking to a remote, as from ``read_http_header_settings``.
    """

    def __init__(
        self, path: str, object_format: str = "sha1", settings: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.path = path
        self._settings = tuple(settings)
        if not os.path.isfile(os.path.join(path, "HEAD")):
            os.makedirs(path, mode=0o700, exist_ok=True)
            formats = (
                ("init.defaultObjectFormat", object_format),
                ("init.defaultRefFormat", "files"),
            )
            more = [] if object_format == "sha1" else [f"--object-format={object_format}"]
            run_git(["init", "--quiet", "--bare", "--template=", *more], cwd=path, config=formats)
            os.chmod(path, 0o700)

    def device_tip(self, device_id: str) -> str:
        """The id of the last commit of a device's own ref; empty if there is none."""
        return self._refs(f"{OWN}{device_id}").get(f"{OWN}{device_id}", "")

    def fetched_device_tips(self, remote_name: str) -> dict[str, str]:
        """Device -> the id of its ref's last commit, as last fetched from ``remote_name``."""
        prefix = f"{_FETCHED}{remote_name}/"
        return {ref[len(prefix) :]: tip for ref, tip in self._refs(prefix).items()}

    def _refs(self, prefix: str) -> dict[str, str]:
        out = run_git(["for-each-ref", "--format=%(objectname) %(refname)", prefix], cwd=self.path)
        pairs = (line.split(" ", 1) for line in out.decode("utf-8", "replace").splitlines())
        return {ref: tip for tip, ref in pairs}

    def commit_memory_records(
        self,
        device_id: str,
        blobs: Sequence[bytes],
        *,
        parents: Sequence[str] | None,
        author: str,
        at_ms: int,
    ) -> str:
        """Write shared memories (lines of JSON) as a commit, the new tip of ``device_id``.

        The ref moves only from the first of ``parents`` (empty: only if there is none), or from
        anywhere if that is None; returns the commit's id. ``at_ms`` is in milliseconds since 1970.
        Raises Unavailable where another process has moved it, and where it cannot be written.
        """
        from dulwich.objects import Blob as BlobObject  # noqa: PLC0415 - 25 ms, once in a sync
        from dulwich.objects import Commit, ObjectID, Tree  # noqa: PLC0415 - as above
        from dulwich.refs import Ref  # noqa: PLC0415 - as above
        from dulwich.repo import Repo  # noqa: PLC0415 - as above

        above = [ObjectID(parent.encode()) for parent in parents or ()]
        ref = Ref(f"{OWN}{device_id}".encode())
        with Repo(self.path) as repository:
            store, refs = repository.object_store, repository.refs
            store.fsync_object_files = True
            tree = Tree()
            for number, part in enumerate(blobs):
                name = FILE_NAME if not number else f"{number:03d}-{FILE_NAME}"
                blob = BlobObject.from_string(part)
                store.add_object(blob)
                id = ObjectID(blob.get_id(store.object_format))
                tree.add(name.encode(), 0o100644, id)
            commit = Commit()
            tree.object_format = commit.object_format = store.object_format
            store.add_object(tree)
            commit.tree = ObjectID(tree.get_id(store.object_format))
            commit.parents = above
            commit.author = commit.committer = author.encode("utf-8", "replace")
            commit.author_time = commit.commit_time = at_ms // 1000
            commit.author_timezone = commit.commit_timezone = 0
            commit.encoding, commit.message = b"UTF-8", b"gitmem: records\n"
            store.add_object(commit)
            commit_id = ObjectID(commit.get_id(store.object_format))
            if parents is None:
                moved = refs.set_if_equals(ref, None, commit_id)
            elif above:
                moved = refs.set_if_equals(ref, above[0], commit_id)
            else:
                moved = refs.add_if_new(ref, commit_id)
        if not moved:
            raise Unavailable(
                "Another process is sharing memories of this repository at the moment.",
                "Run the command again.",
            )
        return commit_id.decode()

    def set_device_tip(self, device_id: str, tip_commit: str) -> None:
        """Move a device's own ref to the commit ``tip_commit``, which has to be here."""
        run_git(["update-ref", f"{OWN}{device_id}", tip_commit], cwd=self.path)

    def mark_device_pushed(self, remote_name: str, device_id: str) -> None:
        """Record that the remote's ref of ``device_id`` is now that of this repository."""
        run_git(
            ["update-ref", f"{_FETCHED}{remote_name}/{device_id}", f"{OWN}{device_id}"],
            cwd=self.path,
        )

    def history_contains(self, tip_commit: str, commit: str) -> bool:
        """Whether ``commit`` is in the history of ``tip_commit``; False if either is missing."""
        args = ["merge-base", "--is-ancestor", commit, tip_commit]
        return call_git(args, cwd=self.path).status == 0

    def shared_memory_blobs(
        self, tips: Sequence[str], excluded_tips: Sequence[str]
    ) -> Iterator[SharedMemoryBlob]:
        """Yield each SharedMemoryBlob in the history of ``tips``, not in that of ``excluded_tips``.

        A blob that is not here, or too large (8 MB), has no content. Raises Unavailable.
        """
        present = [tip for tip in excluded_tips if tip and self._has(tip)]
        revisions = "".join(f"{tip}\n" for tip in tips) + "".join(f"^{tip}\n" for tip in present)
        listed = run_git(
            ["rev-list", "--objects", "--no-object-names", "--missing=print", "--stdin"],
            cwd=self.path,
            stdin=revisions.encode(),
            timeout=SECONDS,
            max_bytes=256 << 20,
        ).split()
        absent = [name[1:].decode() for name in listed if name.startswith(b"?")]
        yield from (SharedMemoryBlob(name, 0, None) for name in absent)
        names = [name for name in listed if not name.startswith(b"?")]
        checked = self._ask("--batch-check=%(objectname) %(objecttype) %(objectsize)", names)
        batch: list[bytes] = []
        room = 4 * LARGEST_BLOB
        for line in checked.splitlines():
            name, _, rest = line.partition(b" ")
            kind, _, size = rest.partition(b" ")
            if kind != b"blob":
                continue
            if int(size) > LARGEST_BLOB:
                yield SharedMemoryBlob(name.decode(), int(size), None)
                continue
            if int(size) > room:
                yield from self._read(batch)
                batch, room = [], 4 * LARGEST_BLOB
            batch.append(name)
            room -= int(size)
        yield from self._read(batch)

    def _has(self, name: str) -> bool:
        return call_git(["cat-file", "-e", name], cwd=self.path).status == 0

    def _read(self, names: Sequence[bytes]) -> Iterator[SharedMemoryBlob]:
        out = self._ask("--batch=%(objectname) %(objectsize)", names)
        at = 0
        while at < len(out):
            end = out.index(b"\n", at)
            name, _, size = out[at:end].decode("ascii").partition(" ")
            at = end + 1
            if size.isdigit():
                yield SharedMemoryBlob(name, int(size), out[at : at + int(size)])
                at += int(size) + 1

    def _ask(self, option: str, names: Sequence[bytes]) -> bytes:
        if not names:
            return b""
        return run_git(
            ["cat-file", option, "--buffer"],
            cwd=self.path,
            stdin=b"\n".join(names) + b"\n",
            timeout=SECONDS,
            max_bytes=8 * LARGEST_BLOB,
        )

    def fetch_devices(self, url: str, remote_name: str, *, timeout: float = SECONDS) -> None:
        """Fetch the refs of all devices from the address ``url``, for ``fetched_device_tips``.

        They are stored under ``remote_name``; ``timeout`` is in seconds. Raises Unavailable.
        """
        args = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head"]
        refs = f"+{OWN}*:{_FETCHED}{remote_name}/*"
        done = _transport([*args, "--", url, refs], self.path, timeout, self._settings)
        if done.status:
            raise _refusal(url, done.err)

    def push_device(
        self,
        url: str,
        remote_name: str,
        device_id: str,
        *,
        expected_remote_tip: str | None = None,
        timeout: float = SECONDS,
    ) -> bool:
        """Push a device's own ref; returns False where the remote's ref has moved meanwhile.

        The remote's ref only moves forward, unless ``expected_remote_tip`` says which commit there
        is to be replaced. ``remote_name`` is the name used in ``fetch_devices``; ``timeout`` is in
        seconds. Raises Unavailable.
        """
        ref = f"{OWN}{device_id}"
        force = (
            []
            if expected_remote_tip is None
            else [f"--force-with-lease={ref}:{expected_remote_tip}"]
        )
        args = ["push", "--quiet", "--porcelain", "--no-verify", "--no-follow-tags", *force]
        done = _transport([*args, "--", url, f"{ref}:{ref}"], self.path, timeout, self._settings)
        if done.status == 0:
            self.mark_device_pushed(remote_name, device_id)
            return True
        words = (done.out + done.err).decode("utf-8", "replace")
        if any(mark in words for mark in ("non-fast-forward", "fetch first", "stale info")):
            return False
        if "remote rejected" in words and "failed to update ref" in words:
            return False  # another push holds the lock of the ref
        raise _refusal(url, done.out + b"\n" + done.err)

    def delete_unreferenced_objects(self) -> None:
        """Delete all commits and blobs that no ref leads to, so that purged text is gone."""
        run_git(["gc", "--quiet", "--prune=now"], cwd=self.path, timeout=SECONDS)


def _transport(
    args: Sequence[str], cwd: str, timeout: float, settings: Sequence[tuple[str, str]]
) -> FinishedProcess:
    """Run git against a remote. Raises Unavailable where it does not answer in time."""
    begin = time.monotonic()
    try:
        return call_git(
            args,
            cwd=cwd,
            timeout=timeout,
            allow_network=True,
            config=[*settings, *_SETTINGS, *_ssh(cwd)],
        )
    except Unavailable as error:
        if time.monotonic() - begin < timeout:
            raise
        raise Unavailable(
            f"The remote did not answer within {timeout:g} seconds.",
            "Nothing is lost; the next sync tries again.",
        ) from error


def _ssh(cwd: str) -> list[tuple[str, str]]:
    """The setting by which ssh asks nothing; none where the user has another program for it."""
    if git_environment().get("GIT_SSH_COMMAND") or git_environment().get("GIT_SSH"):
        return []
    done = call_git(["config", "--get", "core.sshCommand"], cwd=cwd)
    command = done.out.decode("utf-8", "replace").strip() or "ssh"
    if os.path.basename(command.split()[0]) != "ssh":
        return []
    return [("core.sshCommand", f"{command} -oBatchMode=yes -oConnectTimeout=10")]


def read_remote_device_tips(
    url: str, *, git_settings: Sequence[tuple[str, str]] = (), timeout: float = 10.0
) -> dict[str, str]:
    """Device -> the id of its last commit, for all devices whose memories a remote holds.

    ``url`` is the remote's address; ``git_settings`` are git's (key, value) for talking to it,
    ``timeout`` is in seconds. Raises Unavailable where the address cannot be read.
    """
    args = ["ls-remote", "--quiet", "--refs", "--", url, f"{OWN}*"]
    # Outside of any repository, whose settings could name a program to run.
    done = _transport(args, os.path.abspath(os.sep), timeout, git_settings)
    if done.status:
        raise _refusal(url, done.err)
    pairs = (line.split("\t", 1) for line in done.out.decode("utf-8", "replace").splitlines())
    return {ref.removeprefix(OWN): tip for tip, ref in pairs if _DIGITS.issuperset(tip)}


def read_http_header_settings(cwd: str) -> list[tuple[str, str]]:
    """(key, value) of the git settings ``http.<url>.extraheader``, by which CI logs in."""
    args = ["config", "-z", "--get-regexp", r"^http\..+\.extraheader$"]
    entries = call_git(args, cwd=cwd).out.decode("utf-8", "replace").split("\0")
    pairs = (entry.partition("\n") for entry in entries if entry)
    return [(key, value) for key, _, value in pairs]


def read_object_format(cwd: str) -> str:
    """The algorithm of the object ids in a repository: sha1 or sha256; sha1 if git fails."""
    try:
        out = run_git(["rev-parse", "--show-object-format"], cwd=cwd)
    except GitmemError:
        return "sha1"
    return "sha256" if out.strip() == b"sha256" else "sha1"


def _refusal(url: str, output: bytes) -> Unavailable:
    """The error for a transport that failed, by what git said."""
    words = output.decode("utf-8", "replace").lower()
    place = hide_credentials(url)
    # Why a ref was refused stands in front of git's last line, which is the same for all.
    _, mark, rejected = output.partition(b"[remote rejected]")
    reason = last_error_line(rejected.partition(b"\n")[0].strip() if mark else output)
    for marks, sentence, advice in _REASONS:
        if any(mark.lower() in words for mark in marks):
            return Unavailable(f"{sentence}: {reason}.", advice.format(url=place))
    return Unavailable(
        f"git could not talk to the remote: {reason or 'git gave no reason'}.",
        f"To see why: git ls-remote {place}",
    )
