"""The scoreboard of reliability: what is promised, by which bar, and which test files show it.

A row is shown by the files ``test_s01_*.py`` for S-01 and so on, by those it names ``elsewhere``,
or it says what it waits for. A test of a row asks for the fixture ``score``, takes its sizes from
it and reports what it tried:

    def test_kills_lose_nothing(score: Score) -> None:
        kills = score.size(quick=12, full=1000)
        ...
        score.report("kills", cases=kills, fired=died, acknowledged=total)
        score.limit("reopen ms", slowest, at_most=1000)

``python -m tests.reliability --tier full`` runs them and writes docs/reliability.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]


@dataclass(frozen=True)
class Bug:
    """What a row's tests found: the commit that fixed it, and the test that failed before."""

    what: str
    commit: str
    test: str


@dataclass(frozen=True)
class Row:
    """One promise. ``elsewhere`` are test files of other names, from the repository's root.

    What is ``timed`` is judged by the clock, and runs while no other row does.
    """

    id: str
    what: str
    bar: str
    elsewhere: tuple[str, ...] = ()
    waits: str = ""
    timed: bool = False
    found: tuple[Bug, ...] = ()

    @property
    def files(self) -> tuple[str, ...]:
        """The test files that show it, from the root of the repository."""
        stem = self.id.replace("-", "").lower()
        own = sorted(FOLDER.glob(f"test_{stem}_*.py"))
        return (*(str(path.relative_to(ROOT)) for path in own), *self.elsewhere)


ROWS = (
    Row(
        "S-01",
        "kill -9 at random moments while it remembers, edits, purges, indexes and drains",
        "1,000 kills: no acknowledged write lost, nothing corrupt, no lock left, "
        "reopened within 1 s",
        timed=True,
    ),
    Row(
        "S-02",
        "killed at each system call of what takes several steps",
        "before every write, rename, sync and unlink: no half state, and a second try completes",
        found=(
            Bug(
                "killed while a damaged store was exchanged for its backup: no store stood there, "
                "and it was taken for a project that was never set up",
                "d0991f6",
                "tests/store/file/test_exchange.py::"
                "test_killed_at_any_moment_leaves_one_store_and_nothing_lost",
            ),
            Bug(
                "the rollback journal of a damaged store was written into the backup that took "
                "its place",
                "d0991f6",
                "tests/store/file/test_exchange.py::"
                "test_the_rollback_journal_of_the_old_store_never_meets_the_new_one",
            ),
        ),
    ),
    Row(
        "S-03",
        "power cuts: unsynced writes dropped, or torn at 512 bytes",
        "2,000 cuts: no acknowledged memory lost, nothing corrupt",
        found=(
            Bug(
                "the key of a new store was not on the disk: after a power cut all was refused",
                "c5894cf",
                "tests/reliability/test_s03_names.py::"
                "test_every_name_that_must_last_is_on_the_disk",
            ),
        ),
    ),
    Row(
        "S-04",
        "every call to a file of the store fails: full or broken, once or from then on",
        "each a clear error or a success; nothing corrupt, no acknowledged write lost",
        found=(
            Bug(
                "`restore-backup` ended in a traceback where its copy could not be opened",
                "87153e5",
                "tests/reliability/test_s04_failing_verbs.py::"
                "test_a_restore_tells_an_error_whichever_file_cannot_be_looked_at",
            ),
            Bug(
                "`remember -` ended in a traceback where SQLite had given its transaction up under "
                "a read whose error was put up with",
                "3e23f61",
                "tests/store/db/test_connection.py::"
                "test_what_sqlite_gave_up_under_a_block_is_an_error_and_nothing_of_it_stays",
            ),
        ),
    ),
    Row(
        "S-05",
        "a full disk outside SQLite: spool, exports, logs, settings, backups",
        "a clear error and no half file; reading goes on",
        found=(
            Bug(
                "`adr export` ended in a traceback where the index could not be written",
                "c16edfe",
                "tests/reliability/test_s05_full_disk.py::"
                "test_files_outside_the_store_are_whole_or_not_there",
            ),
        ),
    ),
    Row(
        "S-06",
        "eight writers, two readers and real commits with hooks at once",
        "8 x 500 writes and 50 commits: none lost, none doubled, none told *locked*; "
        "99 of 100 within 250 ms, all within 3 s, the log under 64 MB",
        timed=True,
        found=(
            Bug(
                "of twenty writers at once one in eight was told that the store is busy",
                "fc9b6a6b",
                "tests/store/db/test_connection.py::"
                "test_a_queue_is_waited_in_as_long_as_it_moves",
            ),
        ),
    ),
    Row(
        "S-07",
        "half an hour of sessions, kills and index runs in one store",
        "memory grows by less than a tenth; open files, processes and the log stay bounded",
    ),
    Row(
        "S-08",
        "damaged files: bits, pages, ends, logs of other stores",
        "500 files: each noticed or harmless, no wrong row shown, no crash, and `recover` brings "
        "back every row that is whole",
        found=(
            Bug(
                "`doctor` and `status` ended in a traceback over a row whose project was damaged",
                "bd77ef6",
                "tests/store/memory/test_project_parts.py::"
                "test_a_damaged_row_that_names_no_project_stops_nothing",
            ),
        ),
    ),
    Row(
        "S-09",
        "stores of older and newer versions, upgrades interrupted",
        "an older gitmem writes nothing into a newer store; no upgrade loses a row, wherever it "
        "stops",
        elsewhere=("tests/store/file/test_migrate.py",),
    ),
    Row(
        "S-10",
        "what the hooks add to a commit and to a session's start",
        "commit: 10 ms in the middle, 30 ms for 95 of 100; session's start within 300 ms; nothing "
        "more where the store is locked or corrupt",
        timed=True,
    ),
    Row(
        "S-11",
        "hooks in bad worlds: no interpreter, full disk, corrupt store, huge rebase",
        "git's exit status, refs, index and configuration as without gitmem, in 20 worlds",
    ),
    Row(
        "S-12",
        "install and uninstall beside other people's hooks",
        "15 layouts in any order: byte-identical after uninstall, foreign hooks fire as before",
        elsewhere=("tests/githooks/test_install.py", "tests/githooks/test_plan.py"),
    ),
    Row(
        "S-13",
        "every state that git can be in, times every command",
        "73 states: no traceback, a documented exit status, nothing of the user's written",
        elsewhere=("tests/cli/test_bad_repositories.py",),
        found=(
            Bug(
                "`affected`, `impact` and `pattern validate` wrote the index, under the lock that "
                "a commit needs: `git diff` does so whatever it is told",
                "27766c5",
                "tests/git/test_diff.py::"
                "test_the_index_is_not_written_and_its_lock_is_not_asked_for",
            ),
            Bug(
                "an index of no bytes, as a loss of power leaves it, stopped every verb",
                "0c32be1",
                "tests/git/test_tracked.py::test_index_of_no_bytes_as_a_loss_of_power_leaves_it",
            ),
            Bug(
                "`hooks install` left its script where git stopped answering half-way, and with "
                "an empty HEAD `hooks uninstall` took nothing out",
                "0c32be1",
                "tests/githooks/test_install.py::"
                "test_where_git_does_not_answer_nothing_is_written_and_what_was_written_comes_out",
            ),
            Bug(
                "failures of git named an option instead of the command; a partial clone and a "
                "damaged branch were told as an unknown revision or not at all",
                "0c32be1",
                "tests/git/test_runner.py::"
                "test_failure_names_the_command_behind_gits_own_options_in_a_whole_sentence",
            ),
        ),
    ),
    Row(
        "S-14",
        "random input for every parser",
        "10,000 inputs each: a result or a clear error, none hangs",
        elsewhere=("tests/indexing/test_bad_input.py",),
        found=(
            Bug(
                "a pattern such as `[a--]` made Python print a warning, with a path of its own, "
                "beside the answer",
                "9d35560",
                "tests/text/test_globs.py::"
                "test_no_pattern_makes_python_warn_beside_the_answer",
            ),
            Bug(
                "a record of `git log` whose hash holds a byte that is no ASCII was an internal "
                "error",
                "e427ce7",
                "tests/git/test_log_output.py::test_a_record_whose_hashes_are_none_is_dropped",
            ),
            Bug(
                "a damaged earlier version of a memory that held a number beyond every float was "
                "an internal error instead of told as damaged",
                "da4f905",
                "tests/store/memory/test_memory_rows.py::"
                "test_a_snapshot_that_was_changed_is_reported_as_damaged_whatever_stands_there",
            ),
            Bug(
                "a line of `git blame` that looks like a head but names no lines was an internal "
                "error",
                "e0670b5",
                "tests/git/lines/test_line_history.py::"
                "test_a_head_of_blame_whose_lines_are_no_numbers_begins_nothing",
            ),
        ),
    ),
    Row(
        "S-15",
        "any order of edits against a dictionary",
        "2,000 runs of 50 steps: the store and a dictionary agree after each step",
    ),
    Row(
        "S-15r",
        "three to five replicas: edits, purges, lost pushes, restored backups, clocks days apart",
        "2,000 runs: all converge, nothing acknowledged is lost, whatever the order",
        elsewhere=("tests/sync/test_clones.py", "tests/sync/test_random_exchange.py"),
    ),
    Row(
        "S-16",
        "processes: parent killed, input closed, two drains",
        "server and drain gone within 2 s, at most one drain, no zombie, no listening socket",
        timed=True,
        elsewhere=("tests/mcp/test_life.py", "tests/spool/test_lease.py"),
    ),
    Row(
        "S-17",
        "hostile repositories, and files made to be dear to read",
        "60 repositories: nothing executed, nothing outside read or written; 200 such files within "
        "300 MB and 60 s",
        elsewhere=("tests/git/test_hostile.py",),
        found=(
            Bug(
                "settings that came with a clone, a pull or an archive were in force: `ask` "
                "sent memories to an address of a stranger's",
                "f406e8a6",
                "tests/reliability/test_s17_brought_settings.py::"
                "test_no_memory_reaches_the_address_that_a_stranger_set",
            ),
            Bug(
                "`setup` took an MCP entry of its own name from a clone, kept the environment "
                "that it set, and called it written",
                "88927e0f",
                "tests/operations/start/test_setup_impostors.py::"
                "test_an_entry_with_an_environment_is_refused_with_the_difference",
            ),
            Bug(
                "backups, notes of sessions and hooks were written through a link that a clone "
                "had brought into .gitmem, once git had been told to forget it",
                "212c7c2e",
                "tests/operations/start/test_init.py::"
                "test_a_link_that_came_with_the_clone_is_never_written_through",
            ),
        ),
    ),
    Row(
        "S-18",
        "hostile databases and imports",
        "never opened as one's own, no function called, the parent alive",
        elsewhere=("tests/reliability/test_foreign_store.py",),
        found=(
            Bug(
                "`status` and others ended in a traceback where the store's note of what the "
                "project is called was damaged",
                "aee9766",
                "tests/store/db/test_projects.py::"
                "test_a_damaged_note_of_identities_is_made_anew",
            ),
            Bug(
                "the log of a session, a spool, counts and what a session was told counted as "
                "one's own where an archive had brought them",
                "3f4248dc",
                "tests/reliability/test_s18_foreign_logs.py::"
                "test_what_a_stranger_s_hooks_noted_is_believed_nowhere",
            ),
            Bug(
                "`recover --from` took a stranger's export as said by a person, and replaced what "
                "a person had said without a word",
                "17a0dc16",
                "tests/operations/maintenance/test_recover.py::"
                "test_a_stranger_s_export_is_foreign_and_changes_nothing_of_ones_own",
            ),
        ),
    ),
    Row(
        "S-19",
        "paths and revisions that lead elsewhere, in every argument",
        "750 payloads, no escape",
        elsewhere=("tests/mcp/test_hostile_clients.py",),
        found=(
            Bug(
                "a byte that is no UTF-8, half a surrogate or a NUL in 70 arguments of 40 verbs "
                "was an internal error",
                "24e74db",
                "tests/reliability/test_s19_traversal.py::"
                "test_every_argument_of_a_tool_may_hold_what_is_no_text",
            ),
        ),
    ),
    Row(
        "S-20",
        "poisoned memories",
        "100 attacks, six ways in, six hosts: none unframed in what an agent is given; of ordinary "
        "ones at most 1 in 100 lowered",
        elsewhere=("tests/reliability/test_poisoning.py",),
        found=(
            Bug(
                "an agent accepted what waited in the inbox, also what it had imported itself",
                "0a735e39",
                "tests/operations/remember/test_inbox.py::"
                "test_what_waits_only_a_person_accepts",
            ),
        ),
    ),
    Row(
        "S-21",
        "secrets",
        "30 formats: 99 of 100 taken out, two false ones in 2,000 clean texts, 20,000 lines a "
        "second",
        timed=True,
        elsewhere=("tests/reliability/test_secrets.py", "tests/text/test_secret_recall.py"),
        found=(
            Bug(
                "names of branches, edited paths and projects that held a secret lay in the "
                "spool and the store as they were",
                "ecb967b1",
                "tests/reliability/test_secrets.py::"
                "test_what_hooks_and_readers_note_of_a_branch_a_file_and_a_command",
            ),
        ),
    ),
    Row(
        "S-22",
        "what is purged",
        "no byte of it in any file, killed backups included",
        found=(
            Bug(
                "a restore killed within the last hour left a copy that `purge` did not reach",
                "d889e85",
                "tests/reliability/test_s22_purge_after_kill.py::"
                "test_no_byte_is_left_whatever_was_killed_before",
            ),
        ),
    ),
    Row(
        "S-23",
        "rights of files under every umask; links and other people's files",
        "files 0600, folders 0700; what is not one's own is refused",
        found=(
            Bug(
                "`recover` made a store that others might read (0644)",
                "9864f0d",
                "tests/reliability/test_s23_permissions.py::"
                "test_every_file_of_every_verb_is_its_owner_s_alone",
            ),
        ),
    ),
    Row(
        "S-24",
        "the HTTP server",
        "100 hostile requests refused or inert",
        elsewhere=("tests/http/test_guard.py", "tests/http/test_server.py"),
    ),
    Row(
        "S-25",
        "the GitHub Action",
        "no injection by titles, branches or file names; every action pinned",
        elsewhere=("tests/action/test_hostile_names.py",),
    ),
    Row(
        "S-26",
        "without network and without model",
        "no socket is opened; search by words answers",
        timed=True,
        elsewhere=("tests/embedding/test_registry.py",),
        found=(
            Bug(
                "`search`, `ask` and `context` refused to answer where the model was not on the "
                "machine, though words would have done",
                "371859c",
                "tests/reliability/test_s26_offline.py::"
                "test_every_answer_without_a_network_and_without_the_model",
            ),
            Bug(
                "an index run that had failed, as without the model, was told as *indexing now* "
                "and tried again at every call",
                "aee9766",
                "tests/reliability/test_s26_offline.py::"
                "test_an_index_run_that_fails_is_not_reported_as_one_at_work",
            ),
            Bug(
                "`recall`, `ask` and `context` did not say that only words were compared where "
                "the model was absent",
                "aee9766",
                "tests/reliability/test_s26_offline.py::"
                "test_where_the_model_is_absent_each_answer_says_so_once",
            ),
        ),
    ),
    Row(
        "S-27",
        "export, wipe, import; backup and restore",
        "the same memories, hashes, provenance and tombstones",
    ),
)  # fmt: skip


def row_of(file: Path) -> Row | None:
    """The row that a test file shows by its name, such as ``test_s01_kill.py``."""
    name = file.name.split("_")
    if len(name) < 3 or name[0] != "test":
        return None
    return next((row for row in ROWS if row.id.replace("-", "").lower() == name[1]), None)
