"""Beside any hooks, in any order: nothing of ours is left, theirs fire as before (S-12).

A layout is what another tool, or the user, has there: how it comes, and how it goes again. Each is
tried in four orders (quick: in one), as files and as git's configuration (git 2.54 and later).
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from gitmem.githooks import shims
from tests.githooks import foreign
from tests.githooks.conftest import NEW_GIT, OLD_GIT, Site, make_template, script, site_in, tree
from tests.reliability.scoring import Score

Step = Callable[[Site], object]
ORDERS = ("put install uninstall take", "put install take uninstall")
ORDERS += ("install put uninstall take", "install put take uninstall")


@dataclass(frozen=True)
class Layout:
    """How other hooks come to a repository, and how they go."""

    put: Step
    take: Step


def write(site: Site, content: bytes, mode: int = 0o755) -> None:
    """Hooks of all our events, whatever was there before."""
    for event in shims.EVENTS:
        hook = site.hook(event)
        hook.parent.mkdir(exist_ok=True)
        hook.unlink(missing_ok=True)
        hook.write_bytes(content)
        hook.chmod(mode)


def delete(site: Site) -> None:
    for event in shims.EVENTS:
        site.hook(event).unlink(missing_ok=True)


def append(site: Site, content: bytes) -> None:
    """As somebody who finds a script adds to it."""
    for event in shims.EVENTS:
        found = site.hook(event).read_bytes() if site.hook(event).exists() else b""
        begun = content.split(b"\n", 1)[-1] if found else content
        site.hook(event).write_bytes(found + begun)
        site.hook(event).chmod(0o755)


def set_aside(site: Site, content: bytes, end: str) -> None:
    """As pre-commit and lefthook do: what is there gets another name."""
    for event in shims.EVENTS:
        with suppress(FileNotFoundError):
            site.hook(event).rename(f"{site.hook(event)}{end}")
    write(site, content)


def bring_back(site: Site, end: str) -> None:
    delete(site)
    for event in shims.EVENTS:
        with suppress(FileNotFoundError):
            Path(f"{site.hook(event)}{end}").rename(site.hook(event))


def in_tree(site: Site, folder: str, content: str) -> None:
    for event in shims.EVENTS:
        script(site.repo.path / folder / event, content)
    script(site.repo.path / ".husky" / "_" / "husky.sh", foreign.HUSKY_8_SH)
    script(site.repo.path / ".husky" / "_" / "h", foreign.HUSKY_9_H)
    site.repo.git("config", "core.hooksPath", folder)


def out_of_tree(site: Site, folder: str) -> None:
    site.repo.git("config", "--unset", "core.hooksPath")
    for item in {folder.split("/", maxsplit=1)[0], ".husky"}:
        shutil.rmtree(site.repo.path / item)


def of_the_user(site: Site) -> None:
    for event in shims.EVENTS:
        script(site.repo.home / "hooks" / event, foreign.USER)
    site.repo.git("config", "--global", "core.hooksPath", str(site.repo.home / "hooks"))


def not_of_the_user(site: Site) -> None:
    shutil.rmtree(site.repo.home / "hooks")
    (site.repo.home / ".gitconfig").unlink()


def links(site: Site) -> None:
    script(site.repo.path / "kept.sh", foreign.USER)
    delete(site)
    for event in shims.EVENTS:
        site.hook(event).symlink_to(site.repo.path / "kept.sh")


def no_links(site: Site) -> None:
    delete(site)
    (site.repo.path / "kept.sh").unlink()


def nothing(site: Site) -> None:
    """Nobody else has hooks here."""


def layouts() -> Iterator[tuple[str, Layout]]:
    """Name and layout."""
    yield "none", Layout(nothing, nothing)
    for name, text in foreign.WELCOMING.items():
        ends = {"pre-commit": ".legacy", "lefthook": ".old"}
        if end := ends.get(name, ""):
            come = partial(set_aside, content=text.encode(), end=end)
            yield name, Layout(come, partial(bring_back, end=end))
        else:
            yield name, Layout(partial(append, content=text.encode()), delete)
    for name, content in foreign.REFUSING.items():
        yield name, Layout(partial(write, content=content), delete)
    asleep = partial(write, content=foreign.USER.encode(), mode=0o644)
    yield "not executable", Layout(asleep, delete)
    yield "links", Layout(links, no_links)
    for name, folder, text in (
        ("husky 8", ".husky", foreign.HUSKY_8),
        ("husky 9", ".husky/_", foreign.HUSKY_9_STUB),
        ("a folder in the work tree", ".githooks", foreign.USER),
    ):
        come = partial(in_tree, folder=folder, content=text)
        yield name, Layout(come, partial(out_of_tree, folder=folder))
    yield "a folder of the user", Layout(of_the_user, not_of_the_user)


LAYOUTS = dict(layouts())


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """An ordinary repository with an empty hooks folder."""
    with site_in(tmp_path, make_template(tmp_path / "template")) as made:
        yield made


def observed(site: Site) -> dict[str, tuple[int, bytes | str]]:
    """Every byte and every right of the git directory, the work tree and the home."""
    whole = tree(site.repo.path) | {
        f"~/{name}": item for name, item in tree(site.repo.home).items()
    }
    return {name: item for name, item in whole.items() if not name.startswith(".gitmem")}


def fired(site: Site) -> dict[str, tuple[int, bytes, bytes, str]]:
    """What each hook does with arguments and input: exit status, output, and its canary."""
    folder = Path(site.repo.path, site.repo.git("rev-parse", "--git-path", "hooks"))
    canary = site.repo.path.parent / "fired"
    output = {}
    for event in ("post-checkout", "post-rewrite"):
        canary.write_text("")
        with suppress(OSError):  # no program, or none that may be started
            done = subprocess.run(
                [folder / event, "one", "", "two three"],
                cwd=site.repo.path,
                env=site.repo.env | {"FIRED": str(canary)},
                input=b"in\nput" * 9000,
                capture_output=True,
                check=False,
            )
            output[event] = done.returncode, done.stdout, done.stderr, canary.read_text()
    return output


@pytest.mark.parametrize("version", [OLD_GIT, NEW_GIT], ids=["files", "configuration"])
def test_every_layout_in_every_order_is_left_as_it_was(
    site: Site, score: Score, version: tuple[int, int]
) -> None:
    empty = observed(site)
    tried = changed = declined = canaries = 0
    every = score.size(quick=2 if version == OLD_GIT else 4, full=1)
    orders = score.size(quick=1, full=len(ORDERS))
    for number, (name, layout) in enumerate([*LAYOUTS.items()][::every]):
        steps: dict[str, Step] = {"put": layout.put, "take": layout.take}
        steps["uninstall"] = Site.uninstall
        for order in (ORDERS + ORDERS)[number % len(ORDERS) :][:orders]:
            here = {}
            for step in order.split():
                if step == "install":
                    before = observed(site), fired(site) if order == ORDERS[0] else {}
                    hooks = site.install(version)
                    here["changed"] = observed(site) != before[0]
                    here["declined"] = any(hook.state == "declined" for hook in hooks)
                    once = observed(site)
                    site.install(version)
                    assert observed(site) == once, (name, order, "twice is once")
                    if order == ORDERS[0]:
                        after = fired(site)
                        assert before[1].items() <= after.items(), (name, "theirs fire as before")
                        canaries += sum(bool(item[3]) for item in before[1].values())
                else:
                    steps[step](site)
                    if step == "uninstall" and order == ORDERS[0]:
                        assert observed(site) == before[0], (name, order)
            assert observed(site) == empty, (name, order)
            tried += 1
            changed += here["changed"]
            declined += here["declined"] and not here["changed"]
    assert len(LAYOUTS) >= 15
    assert changed > tried / 3, "nothing was installed anywhere"
    score.report("layouts", cases=tried, fired=changed + declined, declined=declined)
    score.report("canaries in hooks of others", cases=tried, fired=canaries)
