"""An error is known again wherever it returns, and told from the others."""

from __future__ import annotations

import time

from gitmem.timeline import command_output, error_signature
from tests.bench import error_signatures

PYTHON = """Traceback (most recent call last):
  File "/home/ann/shop/cli.py", line 4, in main
    open_cache()
redis.exceptions.ConnectionError: Error 111 connecting to 10.2.0.9:6379. Connection refused.
"""


def test_changed_traces_keep_their_signature_and_others_have_another() -> None:
    """The figures of docs/benchmarks.md; fifty traces of five languages."""
    found = error_signatures.measured(seeds=1)
    assert found.traces == 50
    assert found.collapsed >= 0.95, found.lost
    assert found.apart >= 0.98, found.confused


def test_every_trace_is_seen_to_be_a_failure() -> None:
    """Else no hook that was not told how a command ended would look at it."""
    for name, text in error_signatures.traces().items():
        output = error_signatures.written(text)
        assert command_output.is_failure_output(output) or command_output.error_names_in_text(
            output
        ), name


def test_the_line_alone_belongs_to_the_family_of_its_trace() -> None:
    """A hook keeps one line: it is the same error, wherever it was raised."""
    whole, line = (
        error_signature.read_error_signature(PYTHON),
        error_signature.read_error_signature(PYTHON.splitlines()[-1]),
    )
    assert whole is not None
    assert line is not None
    assert (whole.place, line.place) == ("main", "")
    assert whole.memory_tag == line.memory_tag
    assert whole.hash_with_location != line.hash_with_location
    assert whole.may_be_raised_in(line.place)
    assert not whole.may_be_raised_in("elsewhere")
    assert whole.as_line.startswith("ConnectionError: Error 111 connecting to <host>:6379.")


def test_what_frames_an_error_in_other_ways_is_read_too() -> None:
    group = """  + Exception Group Traceback (most recent call last):
  |   File "/a/x.py", line 3, in main
  | ExceptionGroup: unhandled errors in a TaskGroup (1 sub-exception)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/a/y.py", line 9, in fetch
    |     raise ValueError("bad page 3")
    | ValueError: bad page 3
    +------------------------------------
"""
    npm = "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE no tree\nnpm ERR! A log: /a/_logs/1.log\n"
    race = "WARNING: DATA RACE\nWrite at 0x00c0 by goroutine 7:\n  main.inc()\n      /a/m.go:1\n"
    for output, name, place in (
        (group, "ValueError", "fetch"),
        (npm, "ERESOLVE", ""),
        (race, "DATA RACE", "main.inc"),
    ):
        found = error_signature.read_error_signature(output)
        assert found is not None
        assert (found.name, found.place) == (name, place)


def test_what_tells_two_errors_apart_stays() -> None:
    for item, other in (
        (
            "Error: connect ECONNREFUSED 127.0.0.1:5432",
            "Error: connect ECONNREFUSED 127.0.0.1:6379",
        ),
        ("HTTPError: status code 401", "HTTPError: status code 502"),
        ("OSError: [Errno 2] No such file: 'a.txt'", "OSError: [Errno 13] No such file: 'a.txt'"),
        ("KeyError: 'price'", "KeyError: 'total'"),
        ("Error: no file /srv/x/a.json", "Error: no file /srv/x/b.json"),
        ("Error: Cannot find module './a/index'", "Error: Cannot find module './b/index'"),
        ("ValueError: sha256 differs", "ValueError: base64 differs"),
        ("error[E0382]: moved", "error[E0502]: moved"),
    ):
        assert error_signatures.key(item) != error_signatures.key(other), item


def test_what_changes_from_run_to_run_goes() -> None:
    for item, other in (
        ("at /home/ann/a.py:3", r"at C:\Users\Bo\a.py:19"),
        ("<Cart object at 0x7f3c2b1d>", "<Cart object at 0x00ff>"),
        ("needs pip 23.1.2, found 9.0.1", "needs pip 24.0.11, found 10.9.2"),
        ("2026-01-31T08:03:42Z gone", "2025-12-01T18:00:00.123+02:00 gone"),
        ("job 550e8400-e29b-41d4-a716-446655440000", "job 123e4567-e89b-12d3-a456-426614174000"),
        ("after 12.5s", "after 300 ms"),
        ("on 127.0.0.1:50123", "on localhost:61234"),
        ("in /tmp/tmpab12cd/x", "in /var/folders/q/tmpzz99/x"),
    ):
        assert error_signature.normalise_error_text(item) == error_signature.normalise_error_text(
            other
        ), item


def test_an_output_without_an_error_has_no_signature() -> None:
    for output in ("", "\n", "3 passed in 0.1s", "\x00\x01", "at home (yes:1:2)"):
        assert error_signature.read_error_signature(output) is None, output


def test_a_long_or_hostile_output_costs_little() -> None:
    """Of a log only beginning and end are read; processor time, whoever else is at work."""
    for output in (
        "x" * 10_000_000,
        "a:" * 200_000 + "\n" + PYTHON,
        "at a (b:1:2)\n" * 200_000,
        "Caused by: " + "a." * 20_000,
        "Error: " + "/a" * 20_000,
        "E   " + "A.b" * 10_000 + "Error",
        'File "' * 20_000,
    ):
        begin = time.process_time()
        error_signature.read_error_signature(output)
        assert time.process_time() - begin < 2, output[:20]
    found = error_signature.read_error_signature("noise\n" * 500_000 + PYTHON)
    assert found is not None
    assert found.name == "ConnectionError"
