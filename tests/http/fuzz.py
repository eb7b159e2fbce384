"""Schemathesis over the whole OpenAPI description of `gitmem serve`.

    pip install schemathesis
    python -m tests.http.fuzz [--examples 20] [--seconds 600]

A server is started in a small repository; every route but streams is asked what fits its schema
and what does not. A server error, a status or an answer that is not described fails. Exits with
schemathesis's status.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.http.conftest import serving
from tests.mcp.conftest import make_site

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)


def program() -> str | None:
    """The path of schemathesis; None where it is not installed."""
    beside = Path(sys.executable).with_name("schemathesis")
    return str(beside) if beside.exists() else shutil.which("schemathesis")


def fuzz(examples: int, seconds: int) -> tuple[int, str]:
    """Ask each route that many times; the exit status of schemathesis, and its report."""
    with TemporaryDirectory(prefix="gitmem-fuzz-") as folder:
        site = make_site(Path(folder))
        for text in ("Redis listens on 6380", "Sessions end after an hour"):
            site.gitmem("remember", text)
        # Any other project is unknown here, and a request for one is answered by that alone.
        Path(folder, "schemathesis.toml").write_text('[parameters]\n"query.repo" = ""\n')
        with serving(site.path, site.env) as server:
            words = [
                *(program() or "schemathesis", "run", f"{server.url}/openapi.json"),
                *("--max-examples", str(examples), "--checks", ",".join(CHECKS)),
                *("--phases", "fuzzing", "--mode", "all", "--continue-on-failure"),
                *("--exclude-path-regex", "events$", "--request-timeout", "60"),
                *("--generation-deterministic", "--workers", "2", "--no-color"),
            ]
            done = subprocess.run(
                words, cwd=folder, timeout=seconds, check=False, stdout=subprocess.PIPE, text=True
            )
            assert server.get("/health").status == 200
            assert server.stop() == 0
    return done.returncode, done.stdout


def main() -> int:
    """Run it; the exit status."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--examples", type=int, default=20)
    options.add_argument("--seconds", type=int, default=600)
    given = options.parse_args()
    if program() is None:
        print("pip install schemathesis", file=sys.stderr)
        return 2
    status, report = fuzz(given.examples, given.seconds)
    print(report)
    return status


if __name__ == "__main__":
    sys.exit(main())
