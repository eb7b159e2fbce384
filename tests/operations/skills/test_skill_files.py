"""SKILL.md folders both ways: byte for byte, all or none, and no path out of a folder (CC-13)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.errors import Conflict, GitmemError, InvalidInput, NotFound
from gitmem.memory.skills.skill_format import FILE
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.skill_files import FILES


def lay(repo: RepoBuilder, folder: str = "skills", only: tuple[str, ...] = ()) -> Path:
    for name, data in FILES.items():
        if not only or name in only:
            place = repo.path / folder / name
            place.mkdir(parents=True, exist_ok=True)
            (place / FILE).write_bytes(data)
    return repo.path / folder


def imported(desk: Desk, *paths: str, **more: object) -> dict[str, str]:
    done = desk.run("skill import", path=paths or ("skills",), **more)
    return {skill.slug: skill.action for skill in done.skills}


def exported(desk: Desk, *slugs: str, to: str = "out", **more: object) -> dict[str, str]:
    done = desk.run("skill export", slug=slugs, to=to, **more)
    return {skill.slug: skill.action for skill in done.skills}


def files(folder: Path) -> dict[str, bytes]:
    found = (item for item in sorted(folder.rglob("*")) if item.is_file())
    return {item.relative_to(folder).as_posix(): item.read_bytes() for item in found}


def test_public_folders_come_and_go_byte_for_byte(desk: Desk, repo: RepoBuilder) -> None:
    lay(repo)
    assert set(imported(desk).values()) == {"added"}
    assert set(imported(desk).values()) == {"unchanged"}
    assert set(exported(desk).values()) == {"written"}
    slugs = {name: name for name in FILES} | {"capital-name": "pdf-form-filling"}
    expected = {f"{slugs[name]}/{FILE}": data for name, data in FILES.items()}
    assert files(repo.path / "out") == expected
    assert set(exported(desk).values()) == {"unchanged"}
    # Where they were read from as well.
    assert exported(desk, "pdf", to="skills") == {"pdf": "unchanged"}


def test_what_is_imported_is_the_repository_s_word(desk: Desk, repo: RepoBuilder) -> None:
    lay(repo, only=("pdf",))
    imported(desk)
    (found,) = desk.run("skill list").skills
    assert found.trust == "repository"
    assert desk.run("skill invoke", slug="pdf").note.startswith("from the repository")
    assert desk.text("skill invoke", slug="pdf").startswith("! from the repository")
    desk.run("trust", id=(found.id,))
    assert desk.run("skill invoke", slug="pdf").note == ""


def accepted(desk: Desk, slug: str = "pdf") -> str:
    found = desk.run("skill show", slug=slug).skill
    desk.run("trust", id=(found.id,))
    assert desk.run("skill invoke", slug=slug).note == ""
    return str(found.id)


@pytest.mark.parametrize("what", ["the text", "its front matter", "a file beside it", "a new file"])
def test_what_was_accepted_are_the_bytes_of_then(desk: Desk, repo: RepoBuilder, what: str) -> None:
    """A file that changes is the repository's word again, and says so before it is read anew."""
    place = lay(repo, only=("pdf",)) / "pdf"
    (place / "fill.sh").write_text("make\n")
    imported(desk)
    id = accepted(desk)
    place.joinpath(FILE).touch()
    assert imported(desk) == {"pdf": "unchanged"}
    assert desk.run("skill show", slug="pdf").skill.trust == "accepted"
    file = {"a file beside it": "fill.sh", "a new file": "more.sh"}.get(what, FILE)
    old, new = (b"pdf", b"pdf") if what == "its front matter" else (b"pdfplumber:", b"obey:")
    text = FILES["pdf"].replace(old, new) if file == FILE else b"obey\n"
    text = text.replace(b"description:", b"model: other\ndescription:") if old == new else text
    (place / file).write_bytes(text)
    invoked = desk.run("skill invoke", slug="pdf")
    assert "pdfplumber" in invoked.instructions
    assert (f"skills/pdf/{file}" in invoked.note) is (what != "a new file")
    with pytest.raises(Conflict, match="only a person can change it"):
        desk.run("skill import", path=("skills",), by="codex")
    output = desk.text("skill import", path=("skills",))
    assert f"changed since it was accepted: gitmem trust {id[:12]}" in output
    assert desk.run("skill show", slug="pdf").skill.trust == "repository"
    assert desk.run("skill invoke", slug="pdf").note.startswith("from the repository")
    accepted(desk)


@pytest.mark.skipif(os.name == "nt", reason="making these needs rights there")
@pytest.mark.parametrize("name", [FILE, "fill.sh"])
@pytest.mark.parametrize("what", ["link", "fifo", "folder", "unreadable", "gone", "growing"])
def test_a_file_that_cannot_be_compared_was_not_accepted(
    desk: Desk, repo: RepoBuilder, name: str, what: str
) -> None:
    """Invoked it waits for nothing, follows nothing out of the folder, and says which file."""
    place = lay(repo, only=("pdf",)) / "pdf"
    (place / "fill.sh").write_text("make\n")
    imported(desk)
    accepted(desk)
    file = place / name
    saved = file.read_bytes()
    if what == "unreadable":
        file.chmod(0)
    elif what == "growing":
        file.write_bytes(saved + b"x" * (2 << 20))
    else:
        file.unlink()
    if what == "link":
        (repo.path / "kept").write_bytes(saved)
        file.symlink_to(repo.path / "kept")
    elif what == "fifo":
        os.mkfifo(file)
    elif what == "folder":
        file.mkdir()
    note = desk.run("skill invoke", slug="pdf").note
    assert (f"skills/pdf/{name}" in note) is not (what == "unreadable" and os.geteuid() == 0)


def test_what_is_too_large_to_be_compared_is_reported_as_changed(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file, and all of them together; read again it is the same all the same."""
    place = lay(repo, only=("pdf",)) / "pdf"
    for name in ("a.bin", "b.bin", "c.bin"):
        (place / name).write_bytes(b"x" * 40)
    (place / "d.bin").write_bytes(b"x" * 60)
    monkeypatch.setattr("gitmem.capture.skills.skill_folder.LARGEST_BESIDE", 50)
    monkeypatch.setattr("gitmem.capture.skills.skill_folder.MOST_BESIDE", 80)
    imported(desk)
    desk.run("trust", id=(desk.run("skill show", slug="pdf").skill.id,))
    note = desk.run("skill invoke", slug="pdf").note
    assert [name in note for name in ("a.bin", "b.bin", "c.bin", "d.bin")] == [0, 0, 1, 1]
    assert imported(desk) == {"pdf": "unchanged"}


def test_files_beside_it_are_listed_copied_and_not_run(desk: Desk, repo: RepoBuilder) -> None:
    place = lay(repo, only=("pdf",)) / "pdf"
    (place / "scripts").mkdir()
    (place / "scripts/fill.sh").write_text("#!/bin/sh\ntouch ran\n")
    (place / "scripts/fill.sh").chmod(0o755)
    (place / "reference.md").write_text("More.\n")
    done = desk.run("skill import", path=("skills/pdf",))
    assert done.skills[0].resources == ("reference.md", "scripts/fill.sh")
    text = desk.text("skill invoke", slug="pdf")
    assert "not run: skills/pdf/reference.md, skills/pdf/scripts/fill.sh" in text
    (place / "reference.md").unlink()
    (left,) = desk.run("skill export", to="out").skills
    assert left.resources == ("reference.md",)
    out = repo.path / "out/pdf"
    assert set(files(out)) == {FILE, "scripts/fill.sh"}
    assert os.access(out / "scripts/fill.sh", os.X_OK)
    assert not list(repo.path.rglob("ran"))
    assert imported(desk, "skills") == {"pdf": "updated"}  # a file beside it is gone


def test_a_file_read_again_changes_what_changed_in_it(desk: Desk, repo: RepoBuilder) -> None:
    file = lay(repo, only=("pdf",)) / "pdf" / FILE
    imported(desk)
    file.write_bytes(FILES["pdf"].replace(b"pdfplumber:", b"pypdf:"))
    assert imported(desk, dry_run=True) == {"pdf": "would be updated"}
    assert imported(desk) == {"pdf": "updated"}
    shown = desk.run("skill show", slug="pdf")
    assert (shown.skill.version, "pypdf:" in shown.instructions) == (2, True)
    # One that was moved is the same skill.
    file.parent.rename(repo.path / "skills/paper")
    assert imported(desk) == {"pdf": "updated"}
    assert desk.run("skill show", slug="pdf").file == "skills/paper/SKILL.md"


def test_what_is_changed_here_is_written_into_its_file(desk: Desk, repo: RepoBuilder) -> None:
    file = lay(repo, only=("docx",)) / "docx" / FILE
    imported(desk)
    changes = {"description": "Documents", "instructions": "Pack.", "trigger": ("word file",)}
    desk.run("skill update", slug="docx", **changes)
    assert exported(desk, to="skills", dry_run=True) == {"docx": "would be written"}
    assert file.read_bytes() == FILES["docx"]
    assert exported(desk, to="skills") == {"docx": "written"}
    assert file.read_bytes() == (
        b"---\nname: docx\ndescription: Documents\n"
        b"license: Proprietary. LICENSE.txt has complete terms\n"
        b'triggers: ["word file"]\n---\nPack.\n'
    )


def test_two_of_one_name_are_refused_and_nothing_is_kept(desk: Desk, repo: RepoBuilder) -> None:
    lay(repo, only=("pdf", "docx"))
    (repo.path / "skills/docx" / FILE).write_bytes(FILES["pdf"])
    with pytest.raises(InvalidInput, match="both called 'pdf'"):
        imported(desk)
    lay(repo, only=("docx",))
    desk.run("skill create", slug="pdf", instructions="Ours.")
    with pytest.raises(Conflict, match="already"):
        imported(desk)
    assert [skill.slug for skill in desk.run("skill list").skills] == ["pdf"]


def test_what_was_written_here_and_is_read_again_is_the_same_skill(
    desk: Desk, repo: RepoBuilder
) -> None:
    desk.run("skill create", slug="a", instructions="Do it.", description="x", trigger=("go",))
    exported(desk)
    assert imported(desk, "out") == {"a": "unchanged"}
    (repo.path / "out/a" / FILE).write_text("---\nname: a\n---\nOther.\n")
    with pytest.raises(Conflict, match="made here"):
        imported(desk, "out")


def test_no_path_leads_out_of_a_folder(desk: Desk, repo: RepoBuilder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / FILE).write_bytes(FILES["pdf"])
    secret = tmp_path / "secret.txt"
    secret.write_text("x")
    skills = repo.path / "skills"
    for number, make in enumerate(
        (
            lambda place: place.symlink_to(outside),
            lambda place: (place.mkdir(), (place / FILE).symlink_to(outside / FILE)),
            lambda place: (
                place.mkdir(),
                (place / FILE).write_bytes(FILES["pdf"]),
                (place / "more.txt").symlink_to(secret),
            ),
            lambda place: (
                place.mkdir(),
                (place / FILE).write_bytes(FILES["pdf"]),
                (place / "more").symlink_to(outside),
            ),
            lambda place: (place.mkdir(), (place / FILE).write_text("---\nname: ../../x\n---\nA")),
        )
    ):
        place = skills / f"s{number}"
        place.parent.mkdir(exist_ok=True)
        make(place)
        for path in (f"skills/s{number}", f"skills/s{number}/{FILE}"):
            with pytest.raises(InvalidInput) as caught:
                imported(desk, path)
            assert caught.value.hint, number
    for path in (str(outside), "../outside", "skills/../../outside"):
        with pytest.raises(GitmemError):
            imported(desk, path)
    assert desk.run("skill list").skills == ()


def test_nothing_is_written_out_of_the_folder(
    desk: Desk, repo: RepoBuilder, tmp_path: Path
) -> None:
    desk.run("skill create", slug="a", instructions="Do it.")
    desk.run("skill create", slug="b", instructions="Do it as well.")
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo.path / "link").symlink_to(outside)
    (repo.path / "out").mkdir()
    (repo.path / "out/b").symlink_to(outside)
    for to in ("link", "link/x", "../outside", str(outside), ".git/x", ".gitmem/x", "out", "", " "):
        with pytest.raises(InvalidInput):
            exported(desk, to=to)
    assert files(outside) == files(repo.path / "out") == {}


def test_a_file_of_others_is_left_alone_or_set_aside(desk: Desk, repo: RepoBuilder) -> None:
    for slug in ("a", "b"):
        desk.run("skill create", slug=slug, instructions=f"Do {slug}.")
    theirs = repo.path / "out/b" / FILE
    theirs.parent.mkdir(parents=True)
    theirs.write_text("Theirs.\n")
    with pytest.raises(Conflict, match="other contents"):
        exported(desk)
    assert set(files(repo.path / "out")) == {f"b/{FILE}"}
    assert exported(desk, force=True) == {"a": "written", "b": "written"}
    assert (repo.path / f"out/b/{FILE}.before").read_text() == "Theirs.\n"
    assert "Do b." in theirs.read_text()


def test_what_cannot_be_written_leaves_all_as_it_was(
    desk: Desk, repo: RepoBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for slug in ("a", "b"):
        desk.run("skill create", slug=slug, instructions=f"Do {slug}.")
    real = os.replace

    def full(source: str, target: str) -> None:
        if f"b{os.sep}{FILE}" in str(target):
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(GitmemError, match="No space"):
        exported(desk)
    assert not (repo.path / "out").exists()


def test_what_is_no_skill_is_named(desk: Desk, repo: RepoBuilder) -> None:
    lay(repo, only=("pdf",))
    for name, data, expected in (
        ("latin", b"---\nname: latin\n---\n\xff\xfe", "UTF-8"),
        ("huge", b"x" * ((1 << 20) + 1), "1 MiB"),
        ("long", b"word " * 20_000, "bytes"),
        ("open", b"---\nname: open\n", "no end"),
    ):
        place = repo.path / "skills" / name
        place.mkdir()
        (place / FILE).write_bytes(data)
        with pytest.raises(InvalidInput, match=expected):
            imported(desk)
        (place / FILE).unlink()
        place.rmdir()
    assert desk.run("skill list").skills == ()
    for path in ("nowhere", "."):
        with pytest.raises(NotFound, match=r"no SKILL\.md"):
            imported(desk, path)
    with pytest.raises(InvalidInput, match="No folder is given"):
        desk.run("skill import", path=())


def test_a_public_file_beyond_the_usual_bounds_comes_back_and_a_huge_one_is_named(
    desk: Desk, repo: RepoBuilder
) -> None:
    """Public skills have descriptions of 1,148 characters and texts of 72 KB."""
    place = repo.path / "skills" / "long"
    place.mkdir(parents=True)
    data = f"---\nname: long\ndescription: {'Use it often. ' * 85}\n---\n\nDo it.\n".encode()
    (place / FILE).write_bytes(data)
    imported(desk)
    exported(desk)
    assert (repo.path / "out/long" / FILE).read_bytes() == data
    (place / FILE).write_bytes(data + b"x" * 70_000)
    with pytest.raises(InvalidInput, match=r"skills/long/SKILL\.md: The text has 70,"):
        imported(desk)
