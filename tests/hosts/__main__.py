"""``python -m tests.hosts``: one run of a host and what came of it; or what npm has to install."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from tests.hosts import reading
from tests.hosts.driver import Captured, prepared, run
from tests.hosts.drivers import DRIVERS
from tests.hosts.workplace import EDIT, FIX, FRAME, ORIENT


def main() -> int:
    """Drive the hosts that are named, or print packages; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.hosts", description=__doc__)
    parser.add_argument("agents", nargs="*", choices=(*DRIVERS, []), metavar="AGENT")
    parser.add_argument("--hosts", type=Path, help="the folder with AGENT/node_modules")
    parser.add_argument("--into", type=Path, help="where the workplaces go; default: a new folder")
    parser.add_argument("--untrusted", action="store_true", help="nothing is approved before")
    parser.add_argument("--compact", action="store_true", help="let it compact its context")
    parser.add_argument("--list", action="store_true", help="print the names of all hosts")
    parser.add_argument("--packages", action="store_true", help="print what npm has to install")
    options = parser.parse_args()
    if options.list:
        print("\n".join(DRIVERS))
    for agent in options.agents:
        if options.packages:
            print(" ".join(DRIVERS[agent].packages))
        else:
            into = options.into or Path(tempfile.mkdtemp())
            _drive(agent, options.hosts, into / agent, options)
    return 0


def _drive(agent: str, root: Path, folder: Path, options: argparse.Namespace) -> None:
    driver = DRIVERS[agent]
    workplace = prepared(driver, folder, root, approved=not options.untrusted)
    print(f"{agent} in {folder}")
    print(json.dumps(workplace.standing(agent)["reasons"], indent=1))
    if options.compact and driver.compacting:
        steps, runs = driver.compacting(workplace)
        came = run(driver, workplace, steps, runs)
    else:
        came = run(driver, workplace, driver.steps(workplace))
    (folder / "requests.json").write_text(
        json.dumps(
            [[request.step, request.path, request.body] for request in came.requests], indent=1
        )
    )
    for number, item in enumerate(came.runs):
        (folder / f"host-{number}.txt").write_text(f"{item.status}\n{item.out}\n{item.err}")
    _tell(came)


def _tell(came: Captured) -> None:
    for process in came.runs:
        print("ended with", process.status)
    for call in came.calls:
        message = call.answer or ""
        words = [word for word in (ORIENT, EDIT, FIX) if word in message]
        print(f"hook {call.event:<14} {call.status} {call.seconds:.2f} s {len(message):>6} {words}")
    for request in came.requests:
        names = reading.tools(request.body)
        ours = [name for name in names if "gitmem" in name]
        print(f"request {request.step} {request.path[:60]}: {len(names)} tools, {len(ours)} ours")
        for word in (ORIENT, EDIT, FIX, FRAME, "context was compacted"):
            for at in reading.find(request.body, word):
                print(f"    {word} at {at}")


if __name__ == "__main__":
    sys.exit(main())
