"""Which stores are the user's own."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from gitmem.store.file import registration
from gitmem.store.file.registration import Keyring

STORE, OTHER = "ab" * 16, "cd" * 16
KEY, SECOND = b"k" * 32, b"z" * 32


@pytest.fixture
def stores(tmp_path: Path) -> str:
    return str(tmp_path / "data" / "stores")


def test_a_registered_store_has_its_key_and_a_stranger_s_has_none(stores: str) -> None:
    assert Keyring(stores).register_store(STORE, KEY) == KEY
    assert registration.read_store_key(stores, STORE) == KEY
    assert registration.read_store_key(stores, OTHER) == b""
    assert registration.read_store_key("", STORE) == b""


def test_a_store_keeps_the_key_it_has(stores: str) -> None:
    Keyring(stores).register_store(STORE, KEY)
    assert Keyring(stores).register_store(STORE, SECOND) == KEY
    assert registration.read_store_key(stores, STORE) == KEY


@pytest.mark.parametrize("text", ["", "zz" * 32, "ab" * 31, "ab" * 33])
def test_a_key_that_is_none_is_not_believed(stores: str, text: str) -> None:
    Keyring(stores).register_store(STORE, KEY)
    Path(stores, STORE, "key").write_text(text)
    assert registration.read_store_key(stores, STORE) == b""


def test_an_id_that_leads_elsewhere_has_no_folder(stores: str) -> None:
    for id in ("..", "../../etc", "", "AB" * 16, "ab" * 15 + "/.", "places"):
        assert registration.store_data_folder(stores, id) == "", id


def test_what_is_written_is_the_user_s_alone(stores: str) -> None:
    before = os.umask(0)
    try:
        Keyring(stores).register_store(STORE, KEY)
        registration.record_store_location(stores, "/work/a", STORE)
    finally:
        os.umask(before)
    for found in (Path(stores), *Path(stores).rglob("*")):
        assert not stat.S_IMODE(found.stat().st_mode) & 0o077, found


def test_a_place_is_remembered_until_it_is_forgotten(stores: str) -> None:
    assert registration.store_id_at(stores, "/work/a") == ""
    registration.record_store_location(stores, "/work/a", STORE)
    registration.record_store_location(stores, "/work/\udcff", OTHER)
    assert registration.store_id_at(stores, "/work/a") == STORE
    assert registration.store_id_at(stores, "/work/\udcff") == OTHER
    registration.record_store_location(stores, "/work/a", OTHER)
    assert registration.store_id_at(stores, "/work/a") == OTHER
    registration.delete_store_location(stores, "/work/a")
    registration.delete_store_location(stores, "/work/a")
    assert registration.store_id_at(stores, "/work/a") == ""
    assert registration.store_id_at(stores, "/work/\udcff") == OTHER


@pytest.mark.parametrize("root", ["/work/a", "/work/a ", f"/work/a\n{OTHER}", "/work/\udcff"])
def test_a_place_may_have_the_settings_of_another_store(stores: str, root: str) -> None:
    """That one's settings name the store that stands there."""
    assert registration.store_and_settings_ids_at(stores, root) == ("", "")
    registration.record_store_location(stores, root, STORE)
    assert registration.store_and_settings_ids_at(stores, root) == (STORE, STORE)
    registration.record_store_location(stores, root, STORE, OTHER)
    assert registration.store_and_settings_ids_at(stores, root) == (STORE, OTHER)
    registration.record_store_location(
        stores, root, STORE
    )  # who knows nothing of it changes nothing
    assert registration.store_and_settings_ids_at(stores, root) == (STORE, OTHER)
    registration.record_store_location(stores, root, STORE, STORE)
    assert registration.store_and_settings_ids_at(stores, root) == (STORE, STORE)
    registration.record_store_location(stores, root, STORE, OTHER)
    registration.record_store_location(stores, root, OTHER)
    assert registration.store_and_settings_ids_at(stores, root) == (OTHER, OTHER)


def test_settings_lie_beside_the_key(stores: str) -> None:
    path = registration.project_settings_path(stores, STORE)
    assert os.path.dirname(path) == registration.store_data_folder(stores, STORE)
    for id in ("", "..", "places"):
        assert registration.project_settings_path(stores, id) == ""
    assert registration.project_settings_path("", STORE) == ""


def test_what_lies_in_the_place_of_the_word_is_no_word_and_is_not_written(
    stores: str, tmp_path: Path
) -> None:
    """A git directory that came with an archive holds what its maker liked."""
    git = tmp_path / "repo" / ".git"
    git.mkdir(parents=True)
    word, other = git / "gitmem-place", tmp_path / "other"
    other.write_text(STORE)
    temporary = git / f"gitmem-place.{os.getpid()}"
    temporary.symlink_to(other)
    registration.record_store_location(stores, str(git.parent), STORE)
    assert other.read_text() == STORE and not word.exists()
    temporary.unlink()
    for make in (
        lambda: os.mkfifo(word),
        lambda: word.symlink_to(other),
        lambda: word.write_text("../" * 9),
    ):
        make()
        registration.record_store_location(stores, str(git.parent), STORE)
        (note,) = Path(stores, "places").iterdir()
        assert "gitmem-place" not in note.read_text()
        word.unlink()
    registration.record_store_location(stores, str(git.parent), STORE)
    assert word.stat().st_mode & 0o777 == 0o600
    assert registration.store_and_settings_ids_at(stores, str(git.parent)) == (STORE, STORE)
    word.write_text(OTHER)
    assert registration.store_and_settings_ids_at(stores, str(git.parent)) == ("", "")
