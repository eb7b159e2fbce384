"""Whether the tests notice small wrong changes of the program, one at a time.

    python -m tests.mutants --check                what does not stand in the program any more
    python -m tests.mutants --renew                write down texts whose names were changed
    python -m tests.mutants                        each change against the test that notices it
    python -m tests.mutants --mirror impact/ ask   those named so against all tests of the package

Each change is made in a copy of the tree. Where the tests fail, the one that failed must pass
without the change. Exits with 1 where a change survives, or its text is gone.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from tests.mutants import changes
from tests.mutants.changes import Change
from tests.mutants.copies import Copy, Outcome


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.mutants", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("name", nargs="*", help="beginnings or parts of names; else all")
    parser.add_argument("--check", action="store_true", help="only look for the texts")
    parser.add_argument("--renew", action="store_true", help="write renamed texts down anew")
    parser.add_argument("--mirror", action="store_true", help="run all tests of the package")
    parser.add_argument("--jobs", type=int, default=1, help="changes tried at the same time")
    options = parser.parse_args()
    if options.renew:
        print(f"{changes.renew()} texts are written down anew")
        changes.located.cache_clear()
    chosen = [
        change
        for change in changes.read()
        if not options.name or any(part in change.name for part in options.name)
    ]
    lost = checked(chosen)
    if options.check or options.renew:
        return int(lost > 0)
    tried = [change for change in chosen if changes.located(change) and not change.equivalent]
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda change: _tried(change, mirror=options.mirror), tried))
    print(table(tried, outcomes))
    survived = sum(outcome.verdict != "noticed" for outcome in outcomes)
    return int(survived + lost > 0)


def checked(chosen: list[Change]) -> int:
    """Tell which texts moved or are gone; how many are gone."""
    lost = 0
    for change in chosen:
        place = changes.located(change)
        if place is None:
            lost += 1
            print(f"gone    {change.name}: {change.file}: {change.old.strip()}")
        elif (place.file, place.old) != (change.file, change.old):
            print(f"renamed {change.name}: {place.file}: {place.old.strip()}")
    print(f"{len(chosen) - lost} of {len(chosen)} changes can be made")
    return lost


def _tried(change: Change, *, mirror: bool) -> Outcome:
    tests = changes.mirror(change) if mirror or not change.noticed_by else (change.noticed_by,)
    with Copy.borrowed() as copy:
        outcome = copy.tried(change, tests)
    print(f"{outcome.verdict:9} {change.name}  {outcome.test}  {outcome.seconds:.0f} s", flush=True)
    return outcome


def table(tried: list[Change], outcomes: list[Outcome]) -> str:
    """How many of each package are noticed."""
    every = Counter(change.package for change in tried)
    noticed = Counter(
        change.package
        for change, outcome in zip(tried, outcomes, strict=True)
        if outcome.verdict == "noticed"
    )
    lines = [f"{package:14} {noticed[package]:3} of {every[package]:3}" for package in every]
    total = f"{'all':14} {noticed.total():3} of {every.total():3}"
    return "\n".join([*lines, total])


if __name__ == "__main__":
    sys.exit(main())
