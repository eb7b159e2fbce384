"""Hooks of older versions are known as ours: they still work, are replaced, and leave no trace."""

from __future__ import annotations

import pytest

from gitmem.githooks import self_test, shims
from gitmem.spool.git_events import CommitEvent
from tests.githooks import foreign, older
from tests.githooks.conftest import NEW_GIT, OLD_GIT, Site, states, tree
from tests.githooks.test_install import every, put

WELCOMING = {"none": "", **foreign.WELCOMING}


def given(site: Site, name: str) -> None:
    if WELCOMING[name]:
        put(site, WELCOMING[name].encode())


@pytest.mark.parametrize("name", WELCOMING)
def test_dense_lines_are_outdated_replaced_and_taken_out(site: Site, name: str) -> None:
    given(site, name)
    before = tree(site.git_dir)
    older.install(site)
    assert states(site.status()) == every("outdated")
    assert states(site.install()) == every("installed")
    upgraded = tree(site.git_dir)
    assert not (site.spool.parent / "hooks").exists()
    site.uninstall()
    assert tree(site.git_dir) == before
    site.install()
    assert tree(site.git_dir) == upgraded  # as if the older version had never been there


@pytest.mark.parametrize("name", WELCOMING)
def test_dense_lines_are_taken_out_without_an_upgrade(site: Site, name: str) -> None:
    given(site, name)
    before = tree(site.git_dir)
    store = tree(site.spool.parent)
    older.install(site)
    assert states(site.uninstall()) == every("removed")
    assert tree(site.git_dir) == before
    assert tree(site.spool.parent) == store


def test_dense_lines_still_note_and_fire(site: Site) -> None:
    older.install(site)
    site.repo.git("commit", "-q", "--allow-empty", "-m", "x")
    assert [type(event) for event in site.events(token="")] == [CommitEvent]
    output = self_test.run_all_hooks_as_test(site.layout, site.repo.env, known_git_version=OLD_GIT)
    assert {(item.reason, item.command) for item in output} == {("", site.command)}


def test_settings_of_an_older_version_are_replaced(site: Site) -> None:
    before = tree(site.git_dir)
    older.configure(site)
    output = self_test.run_all_hooks_as_test(site.layout, site.repo.env, known_git_version=NEW_GIT)
    assert all("not what this gitmem sets" in item.reason for item in output)
    assert states(site.install(NEW_GIT)) == every("installed")
    assert site.repo.git("config", "hook.gitmem-post-merge.command") == shims.hook_config_command(
        "post-merge"
    )
    site.uninstall()
    assert tree(site.git_dir) == before


def test_settings_of_an_older_version_are_taken_out(site: Site) -> None:
    before = tree(site.git_dir)
    store = tree(site.spool.parent)
    older.configure(site)
    assert states(site.uninstall()) == every("removed")
    assert (tree(site.git_dir), tree(site.spool.parent)) == (before, store)
