from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.git import log_output
from gitmem.git.log_output import (
    LATEST,
    Commit,
    branch_names_in_subject,
    mask_emails,
    merged_branch_names,
)
from tests.support.tables import table
from tests.support.timing import assert_linear

SHA = "0123456789abcdef" * 2 + "01234567"

# Any text git can keep in one field.
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
paths = st.lists(st.binary(min_size=1).filter(lambda raw: b"\0" not in raw), max_size=4)


def record(subject: str, body: str, names: list[bytes]) -> bytes:
    """One commit as git writes it."""
    fields = ["", SHA, f"{SHA} {SHA}", "Ada", "100", "200", subject, body]
    listed = b"\n" + b"".join(name + b"\0" for name in names) if names else b""
    return "\0".join(fields).encode() + b"\0\0" + listed


@given(st.lists(st.tuples(texts, texts, paths), max_size=5), st.integers(1, 40))
def test_any_messages_and_paths_come_back(
    written: list[tuple[str, str, list[bytes]]], size: int
) -> None:
    stream = b"".join(record(*item) for item in written)
    chunks = [stream[at : at + size] for at in range(0, len(stream), size)]
    read = list(log_output.parse_commits(chunks))
    assert [commit.paths for commit in read] == [
        tuple(map(log_output.decode_path, names)) for _, _, names in written
    ]
    assert [commit.subject for commit in read] == [mask_emails(item[0]) for item in written]
    assert [commit.body for commit in read] == [mask_emails(item[1].rstrip()) for item in written]
    assert all(commit.parents == (SHA, SHA) and commit.committed_time == 200 for commit in read)


@given(st.lists(st.binary()))
def test_any_bytes_are_read_without_a_crash_when_they_are_cut_short(chunks: list[bytes]) -> None:
    whole = [chunk.replace(b"\0", b"") for chunk in chunks]
    assert list(log_output.parse_commits(whole)) == []


def test_a_record_whose_hashes_are_none_is_dropped() -> None:
    """Found by a search that follows what it reaches: UnicodeDecodeError."""
    whole = record("Subject", "", [])
    for old, new in ((SHA, "\u00a1" * 40), (f" {SHA}", " \u00a1"), (f"\0{SHA}\0", "\0\0")):
        damaged = whole.replace(old.encode(), new.encode(), 1)
        assert damaged != whole
        assert [item.subject for item in log_output.parse_commits([damaged, whole])] == ["Subject"]
    root = whole.replace(f"{SHA} {SHA}".encode(), b"")
    assert [item.parents for item in log_output.parse_commits([root])] == [()]


def test_separator_in_a_message_forges_nothing() -> None:
    forged = f"x\x1f\x1e{SHA}\n\n%x00%H"
    (read,) = log_output.parse_commits([record(forged, forged, [b"a"])])
    assert read.subject == forged
    assert read.paths == ("a",)


@table(
    ("raw", "expected"),
    [
        (b"1700000000", 1_700_000_000),
        (b"-5", 0),
        (b"99999999999999999999", LATEST),
        (b"9" * 10_000, LATEST),
        (b"", 0),
        (b"soon", 0),
    ],
)
def test_absurd_times_are_held_in_bounds(raw: bytes, expected: int) -> None:
    assert log_output.parse_commit_timestamp(raw) == expected


@table(
    ("text", "expected"),
    [
        ("Signed-off-by: Jo <jo.x+y@mail.example.org>", "Signed-off-by: Jo <[email]>"),
        ("a@b.io, c@d.io", "[email], [email]"),
        ("Use @pytest.fixture", "Use @pytest.fixture"),
        (
            "Pin actions/checkout@v4 and left-pad@1.2.3",
            "Pin actions/checkout@v4 and left-pad@1.2.3",
        ),
        ("Clone git@github.com:owner/name.git", "Clone git@github.com:owner/name.git"),
        ("no address", "no address"),
    ],
)
def test_addresses_in_messages_are_masked(text: str, expected: str) -> None:
    assert mask_emails(text) == expected


@given(st.from_regex(r"[a-z0-9.+_-]{1,20}@[a-z0-9-]{1,20}\.(com|org|co\.uk)", fullmatch=True))
def test_no_address_survives(address: str) -> None:
    masked = mask_emails(f"by <{address}> today")
    assert masked == ("by <[email]> today" if not address.startswith("git@") else masked)


def test_author_who_is_an_address_is_cut() -> None:
    assert log_output.author_without_email("jo@example.org") == "jo"
    assert log_output.author_without_email("Jo Doe") == "Jo Doe"


@table("before, unit, after", [("", "a", "@"), ("", "a@", ""), ("a@", "b.", "1")])
def test_masking_a_hostile_line_is_quick(before: str, unit: str, after: str) -> None:
    assert_linear(lambda size: mask_emails(before + unit * (size // len(unit)) + after), 100_000)


@table(
    ("subject", "names"),
    [
        ("Merge branch 'fix/a'", ("fix/a",)),
        ("Merge branch 'fix' into release", ("fix",)),
        ("Merge branch 'fix' of host:a/b into fix", ("fix",)),
        ("Merge branches 'a', 'b' and 'c'", ("a", "b", "c")),
        ("Merge branches 'a' and 'b' into main", ("a", "b")),
        ("Merge remote-tracking branch 'origin/fix/a'", ("fix/a",)),
        ("Merge remote-tracking branches 'origin/a' and 'up/b'", ("a", "b")),
        ("Merge pull request #12 from owner/feature/x", ("feature/x",)),
        ("Merged in feature/x (pull request #3)", ("feature/x",)),
        ("Merge tag 'v1.0'", ()),
        ("Merge the two ideas of 'x'", ()),
        ("", ()),
    ],
)
def test_branches_that_a_merge_names(subject: str, names: tuple[str, ...]) -> None:
    assert branch_names_in_subject(subject) == names


def test_merged_branches_are_reported_once_and_only_of_merges() -> None:
    def commit(subject: str, parents: int) -> Commit:
        return Commit(SHA, (SHA,) * parents, "Ada", 0, 0, subject, "")

    messages = [commit("Merge branch 'b'", 2), commit("Merge branch 'a'", 2)]
    again = [commit("Merge branch 'b'", 2), commit("Merge branch 'no'", 1)]
    assert merged_branch_names([*messages, *again]) == ("b", "a")
    numbered = [
        commit("Merge pull request #12 from ada/pay", 2),
        commit("Merged in side (pull request #3)", 2),
        commit("Pay by card (#14)", 1),
        commit("Mend #15 (#16) at last", 1),
        commit("Merge branch 'c' (#17)", 2),
        commit("Begin (#18)", 0),
    ]
    assert merged_branch_names(numbered) == ("pay (#12)", "side (#3)", "#14", "c (#17)")
