"""A stranger's repository that is unpacked where one of the user's stood gets nothing of it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gitmem.errors import NotInitialized
from gitmem.store.file import registration
from tests.support.apps import Desk, small_repo
from tests.support.moved import SetUp

FACT = "The safe of the office opens with 4711"
ADDRESS = "http://127.0.0.1:9/v1"


@pytest.fixture
def desk(bare_desk: Desk, ready: SetUp) -> Desk:
    ready(bare_desk, no_index=True, no_hooks=True)
    return bare_desk


def unpack_another(desk: Desk) -> None:
    """The same remote, the same path; what only the user's data folder tells is not in it."""
    shutil.rmtree(desk.place)
    small_repo(desk.place.parent)


def place_note(desk: Desk) -> Path:
    (note,) = (desk.home / "gitmem" / "stores" / "places").iterdir()
    return note


def without_word(desk: Desk) -> None:
    """As an earlier version left the note."""
    note = place_note(desk)
    lines = note.read_text().splitlines(keepends=True)
    assert lines[-1].startswith("gitmem-place ")
    note.write_text("".join(lines[:-1]))
    (desk.place / ".git" / "gitmem-place").unlink()


@pytest.mark.parametrize("older", [False, True])
def test_a_store_and_settings_of_the_place_are_not_those_of_another_repository(
    desk: Desk, tmp_path: Path, older: bool
) -> None:
    outside = tmp_path / "own.db"
    desk.run("config", key="store.path", value=str(outside))
    desk.run("init", no_index=True, no_hooks=True)
    desk.run("config", key="ask.endpoint", value=ADDRESS)
    desk.run("remember", text=FACT)
    former = next((desk.home / "gitmem" / "stores").glob("*/config.toml"))
    if older:
        without_word(desk)
    assert desk.run("list").memories, "it is the repository of the note"
    if older:
        without_word(desk)
        os.utime(place_note(desk), (1, 1))
    unpack_another(desk)
    with pytest.raises(NotInitialized):
        desk.run("list")
    app = desk.app()
    assert not app.is_registered_folder, "hooks would act here"
    assert app.settings.text("ask.endpoint") == ""
    app.close()
    notes = " ".join(desk.run("init", no_index=True, no_hooks=True).notes)
    assert "Another repository was in this folder" in notes and str(former) in notes
    assert not desk.run("list").memories
    assert desk.run("config", key="ask.endpoint").settings[0].value == ""
    assert outside.exists() and former.exists()


def test_without_a_person_no_copy_of_the_place_is_given_to_another_repository(
    desk: Desk,
) -> None:
    desk.run("remember", text=FACT)
    desk.run("backup")
    unpack_another(desk)
    made = desk.run("init", no_index=True, no_hooks=True)
    assert made.created and not made.restored
    (command,) = (note for note in made.notes if "gitmem restore-backup " in note)
    assert not desk.run("list").memories
    desk.run("restore-backup", source=command.rpartition(" ")[2])
    assert desk.run("list").memories, "a person who says so gets it"


def test_what_git_clean_leaves_is_still_the_same_place(desk: Desk) -> None:
    desk.run("remember", text=FACT)
    desk.run("backup")
    shutil.rmtree(desk.place / ".gitmem")
    assert desk.run("init", no_index=True, no_hooks=True).restored
    assert desk.run("list").memories


def test_a_note_tells_its_folder_and_goes_with_its_word(desk: Desk) -> None:
    stores = str(desk.home / "gitmem" / "stores")
    word = desk.place / ".git" / "gitmem-place"
    assert registration.registered_store_roots(stores) == [str(desk.place)] and word.exists()
    registration.delete_store_location(stores, str(desk.place))
    assert registration.registered_store_roots(stores) == [] and not word.exists()
