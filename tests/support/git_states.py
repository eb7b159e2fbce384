"""Every state a git repository can be in, made by git or by what breaks it (reliability 2.3).

    for name, made in STATES.items():
        repo = made(seed_copy(seed, folder), folder)

A state takes a copy of the seed, which is its own to change, and an empty folder beside it; it
answers the repository to stand in. ``NotHere`` is raised where this git or this system has no such
state.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

from tests.support import trees
from tests.support.repos import RepoBuilder

State = Callable[[RepoBuilder, Path], RepoBuilder]
COMMITS = 3
LONG = "/".join(["d" * 200] * 18)  # characters of a path, of the 4,096 that a system takes


class NotHere(Exception):
    """This git or this system has no such state."""


def seed_repository(folder: Path) -> RepoBuilder:
    """Two commits on ``main``, one beside them on ``side`` that changes the same line."""
    born = RepoBuilder(folder / "repo")
    born.commit("First", {"a.txt": "a\n", "src/b.py": "def add(x):\n    return x\n"})
    born.branch("side")
    born.commit("Theirs", {"a.txt": "theirs\n"})
    born.switch("main")
    born.commit("Ours", {"a.txt": "ours\n", "deep/er/x.py": "import b\n"})
    return born


def seed_copy(seed: RepoBuilder, folder: Path) -> RepoBuilder:
    """A copy of the seed in an empty folder."""
    trees.copy(seed.path, folder / "repo")
    repo = RepoBuilder(folder / "repo", init=False)
    repo.go_on_after(COMMITS)
    return repo


def _of(*commands: str) -> State:
    """A state that git commands bring about; those that stop half-way are meant to."""

    def made(repo: RepoBuilder, folder: Path) -> RepoBuilder:
        for command in commands:
            repo.git(*command.split(" "), check=False)
        return repo

    return made


def plain(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo


def unborn(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return RepoBuilder(folder / "unborn", home=repo.home)


def unborn_with_files(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    made = unborn(repo, folder)
    made.write({"src/b.py": "x = 1\n"})
    made.git("add", "-A")
    return made


def applying(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    patch = repo.git("format-patch", "-1", "--stdout", "side")
    repo.git("am", check=False, stdin=patch.encode())
    assert (repo.path / ".git" / "rebase-apply").is_dir()
    return repo


def editing_a_rebase(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("rebase", "-i", "HEAD~1", env={"GIT_SEQUENCE_EDITOR": "sed -i s/^pick/edit/"})
    assert (repo.path / ".git" / "rebase-merge").is_dir()
    return repo


def shallow(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.clone(folder / "clone", "--depth=1")


def _filtered(repo: RepoBuilder, folder: Path, *options: str) -> RepoBuilder:
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = repo.clone(folder / "clone", *options)
    # From now on a fetch of what is missing would fail, and show.
    repo.path.rename(folder / "gone")
    return clone


def blobless(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return _filtered(repo, folder, "--filter=blob:none")


def blobless_without_files(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return _filtered(repo, folder, "--filter=blob:none", "--no-checkout")


def treeless(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return _filtered(repo, folder, "--filter=tree:0")


def submodule(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    parent = RepoBuilder(folder / "parent", home=repo.home)
    parent.git("submodule", "--quiet", "add", str(repo.path), "one")
    return RepoBuilder(parent.path / "one", init=False, home=repo.home)


def super_project(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    submodule(repo, folder)
    parent = RepoBuilder(folder / "parent", init=False, home=repo.home)
    parent.commit("With a module", {"top.py": "x = 1\n"})
    return parent


def empty_module(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return super_project(repo, folder).clone(folder / "clone")


def linked(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.worktree(folder / "linked", "linked")


def linked_to_what_moved(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    made = linked(repo, folder)
    repo.path.rename(folder / "moved")
    return made


def with_a_lost_worktree(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    shutil.rmtree(linked(repo, folder).path)
    return repo


def bare(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.clone(folder / "bare.git", "--bare")


def mirror(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.clone(folder / "mirror.git", "--mirror")


def linked_to_bare(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return bare(repo, folder).worktree(folder / "linked", "linked")


def separate(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.clone(folder / "clone", f"--separate-git-dir={folder / 'apart'}")


def sha256(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    made = RepoBuilder(folder / "wide", "--object-format=sha256", home=repo.home)
    made.commit("First", {"src/b.py": "x = 1\n"})
    return made


def reftable(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    """By a git that has it; an older one has the format before it, which it does not know."""
    try:
        made = RepoBuilder(folder / "tables", "--ref-format=reftable", home=repo.home)
    except AssertionError:
        return _of(
            "config core.repositoryFormatVersion 1", "config extensions.refStorage reftable"
        )(repo, folder)
    made.commit("First", {"src/b.py": "x = 1\n"})
    return made


def borrowing(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return repo.clone(folder / "clone", "--reference", str(repo.path))


def borrowing_from_nobody(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    clone = repo.clone(folder / "clone", "--shared")
    repo.path.rename(folder / "gone")
    return clone


def grafted(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    (repo.path / ".git" / "info").mkdir(exist_ok=True)
    (repo.path / ".git" / "info" / "grafts").write_text(f"{repo.head()}\n")
    return repo


def octopus(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    for name in ("one", "two"):
        repo.git("checkout", "-q", "-b", name, "main")
        repo.commit(name, {f"{name}.py": f"{name} = 1\n"})
    repo.switch("main")
    repo.commit("On", {"on.py": ""})
    repo.merge("one", "two")
    return repo


def rewritten(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    """The commit that the store knows is gone, with its objects."""
    repo.git("commit", "-q", "--amend", "-m", "Otherwise")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    return repo


def renamed(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("mv", "src/b.py", "src/c.py")
    repo.commit("Rename")
    (repo.path / "src" / "c.py").chmod(0o755)
    repo.commit("Only the mode")
    return repo


def case_twins(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.commit("Twins", {"src/Thing.py": "a = 1\n", "src/thing.py": "b = 2\n", "SRC/b.py": ""})
    return repo


def carriage_returns(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("config", "core.autocrlf", "true")
    repo.commit("Lines", {"crlf.py": "x = 1\r\ny = 2\r\n", ".gitattributes": "*.py text\n"})
    return repo


def pointers(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    """Large files of git-lfs, whose program is not there."""
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 12\n"
    repo.commit("Large", {"big.py": pointer})
    repo.commit("Say so", {".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
    repo.git("config", "filter.lfs.required", "true")
    repo.git("config", "filter.lfs.process", "git-lfs filter-process")
    return repo


def _broken(name: str, content: bytes | None) -> State:
    """A file of the git folder with another content, or without the file."""

    def made(repo: RepoBuilder, folder: Path) -> RepoBuilder:
        path = repo.path / ".git" / name
        path.parent.mkdir(exist_ok=True)
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        return repo

    return made


def someone_elses(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    """Owned by another user: git refuses to work in it."""
    if os.geteuid():
        raise NotHere("needs the right to give files away")
    for path in (repo.path, repo.path / ".git"):
        os.chown(path, 65534, 65534)
    return repo


def _without_object(name: str) -> State:
    def made(repo: RepoBuilder, folder: Path) -> RepoBuilder:
        id = repo.git("rev-parse", name)
        (repo.path / ".git" / "objects" / id[:2] / id[2:]).unlink()
        return repo

    return made


def torn_pack(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.git("gc", "-q")
    (pack,) = (repo.path / ".git" / "objects" / "pack").glob("*.pack")
    content = bytearray(pack.read_bytes())
    content[20:-20] = bytes(len(content) - 40)
    pack.chmod(0o644)
    pack.write_bytes(content)
    return repo


def odd_bytes(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    names = [b"caf\xe9.py", b"\xff\xfe", b"dir\xed\xa0\x80/x.py"]
    for name in names:
        path = os.path.join(os.fsencode(repo.path), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"caf\xe9 = 1\n")
    repo.git("add", "-A")
    dates = {"GIT_AUTHOR_NAME": "\udce9ric", "GIT_AUTHOR_EMAIL": "a\udcff@b"}
    message = b"caf\xe9 \xff\n\nbody \xfe\n"
    repo.git("-c", "i18n.commitEncoding=latin1", "commit", "-q", "-F-", stdin=message, env=dates)
    return repo


def odd_names(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    names = [
        "a\nb.py",
        "a\tb.py",
        "-rf",
        "--output=x",
        ":(top)x.py",
        "q\"uo'te.py",
        "back\\slash.py",
    ]
    names += [" lead.py", "trail ", "*.py", "[x].py", "~", "$(id).py", "`id`.py", "%s.py", "#.py"]
    repo.commit("Odd", dict.fromkeys(names, "x = 1\n"))
    return repo


def misleading_names(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    names = ["\u202egpj.py", "a\u200bb.py", "\ufeffx.py", "caf\u00e9.py", "cafe\u0301.py"]
    names += [".git\u200b/x.py", "\u0440\u0443.py", "\U0001f600.py", "x\u0085y.py"]
    repo.commit("Mis\u202eled", dict.fromkeys(names, "x = 1\n"))
    return repo


def long_names(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    """A path of 3,600 characters, which no work tree below a folder can have: only the tree."""
    blob = repo.git("rev-parse", "HEAD:src/b.py")
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{LONG}/x.py")
    repo.git("commit", "-q", "-m", "Long " + "x" * 5_000)
    return repo


def links_and_pipes(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    (repo.path / "out.py").symlink_to("/etc/passwd")
    (repo.path / "loop.py").symlink_to("loop.py")
    (repo.path / "up").symlink_to("..")
    repo.commit("Links")
    os.mkfifo(repo.path / "pipe.py")
    here = os.getcwd()
    os.chdir(repo.path)  # the name of a socket has at most a hundred bytes
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("socket.py")
    finally:
        os.chdir(here)
    (repo.path / "src" / "b.py").unlink()
    os.mkfifo(repo.path / "src" / "b.py")
    return repo


def absurd_dates(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    head = repo.git("cat-file", "commit", "HEAD").split("\n")
    for number, stamp in enumerate(("99999999999999999 +0000", "-1 -9999", "0 +0000", "x", "")):
        lines = [
            f"{line.rpartition('> ')[0]}> {stamp}" if line.startswith(("author", "commi")) else line
            for line in head
        ]
        text = "\n".join(lines).encode()
        words = ("hash-object", "-t", "commit", "-w", "--stdin", "--literally")
        repo.git("update-ref", f"refs/heads/when{number}", repo.git(*words, stdin=text))
    repo.git("symbolic-ref", "HEAD", "refs/heads/when0")
    return repo


def nested(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    inner = RepoBuilder(repo.path / "inner", home=repo.home)
    inner.commit("Inside", {"i.py": "x = 1\n"})
    return repo


def odd_branch(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    name = "refs/heads/\u202e$(id);'\"&|<!/-x\u00e9"
    repo.git("update-ref", name, "HEAD")
    repo.git("symbolic-ref", "HEAD", name)
    return repo


def many_refs(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    head = repo.head()
    names = sorted(f"refs/{kind}/x{number}" for kind in ("heads", "tags") for number in range(500))
    lines = "".join(f"{head} {name}\n" for name in names)
    packed = repo.path / ".git" / "packed-refs"
    packed.write_text(f"# pack-refs with: peeled fully-peeled sorted \n{lines}")
    return repo


def two_index_parts(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    return _of("update-index --split-index", "update-index --index-version 4", "status")(
        repo, folder
    )


def with_a_stash(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    repo.write({"a.txt": "half\n"})
    return _of("stash", "notes add -m note", "tag -a -m t v1", "bundle create ../x HEAD")(
        repo, folder
    )


def read_only(repo: RepoBuilder, folder: Path) -> RepoBuilder:
    """No folder may be written; root may, so it is told apart by what the caller runs as."""
    for path in (repo.path, *repo.path.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o555)
    return repo


STATES: dict[str, State] = {
    "plain": plain,
    "unborn": unborn,
    "unborn, with files": unborn_with_files,
    "detached": _of("checkout -q --detach HEAD~1"),
    "merge": _of("merge side"),
    "rebase": _of("rebase side"),
    "rebase that edits": editing_a_rebase,
    "cherry-pick": _of("cherry-pick side"),
    "revert": _of("revert --no-edit side"),
    "bisect": _of("bisect start HEAD HEAD~1"),
    "am": applying,
    "shallow": shallow,
    "blobless": blobless,
    "blobless, no files": blobless_without_files,
    "treeless": treeless,
    "sparse": _of("sparse-checkout set --cone --sparse-index src"),
    "submodule": submodule,
    "super-project": super_project,
    "module never fetched": empty_module,
    "linked": linked,
    "linked, main moved": linked_to_what_moved,
    "worktree lost": with_a_lost_worktree,
    "bare": bare,
    "mirror": mirror,
    "linked to bare": linked_to_bare,
    "git folder apart": separate,
    "sha256": sha256,
    "reftable": reftable,
    "packed only": _of("gc -q", "pack-refs --all"),
    "commit graph": _of("commit-graph write --reachable --changed-paths", "multi-pack-index write"),
    "alternates": borrowing,
    "alternates gone": borrowing_from_nobody,
    "grafts": grafted,
    "replaced": _of("replace HEAD~1 side"),
    "empty commit": _of("commit -q --allow-empty --allow-empty-message -m  --no-edit"),
    "octopus": octopus,
    "rewritten and collected": rewritten,
    "renames": renamed,
    "case twins": case_twins,
    "carriage returns": carriage_returns,
    "lfs": pointers,
    "index locked": _broken("index.lock", b""),
    "refs locked": _broken("refs/heads/main.lock", b""),
    "index corrupt": _broken("index", b"DIRC\0\0\0\2garbage"),
    "index empty": _broken("index", b""),
    "index gone": _broken("index", None),
    "index in parts": two_index_parts,
    "HEAD gone": _broken("HEAD", None),
    "HEAD empty": _broken("HEAD", b""),
    "HEAD garbage": _broken("HEAD", b"ref: \xff\0../../../etc/passwd\n"),
    "HEAD to nowhere": _broken("HEAD", b"ref: refs/heads/never\n"),
    "HEAD of no object": _broken("HEAD", b"1" * 40 + b"\n"),
    "ref garbage": _broken("refs/heads/main", b"garbage\n"),
    "ref empty": _broken("refs/heads/main", b""),
    "packed refs garbage": _broken("packed-refs", b"\xff\0garbage\n^^^\n"),
    "config garbage": _broken("config", b"[core\n\xff = \n"),
    "config gone": _broken("config", None),
    "shallow garbage": _broken("shallow", b"garbage\n"),
    "owned by another": someone_elses,
    "commit missing": _without_object("HEAD~1"),
    "tree missing": _without_object("HEAD^{tree}"),
    "blob missing": _without_object("HEAD:a.txt"),
    "pack torn": torn_pack,
    "odd bytes": odd_bytes,
    "odd names": odd_names,
    "misleading names": misleading_names,
    "long names": long_names,
    "links and pipes": links_and_pipes,
    "absurd dates": absurd_dates,
    "repository inside": nested,
    "odd branch": odd_branch,
    "1,000 branches": many_refs,
    "stash, notes, tags": with_a_stash,
    "read-only": read_only,
}
