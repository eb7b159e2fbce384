"""A pull request in the action: the summary, the artifact, and the comment made from it."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.action.composite import Done, Job, Project
from tests.action.test_hostile_names import executed, hostile_commit
from tests.support.cli import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the runner here starts bash")

RULE = '{"kind": "convention", "content": "Never call `eval()`."}\n'


def opened(project: Project, *, hostile: bool = False) -> tuple[str, str, str]:
    """A pull request against a base with a rule; checked out as GitHub does, merged."""
    repo = project.repo
    repo.commit("Agree", {"rules.jsonl": RULE, "src/till.py": "def pay():\n    return 1\n"})
    base = repo.git("rev-parse", "HEAD").strip()
    repo.git("switch", "-qc", "feature")
    repo.commit("Pay by name", {"src/till.py": "def pay():\n    return eval('1')\n",
                                "rules.jsonl": "{}\n"})  # fmt: skip
    if hostile:
        hostile_commit(repo)
    head = repo.git("rev-parse", "HEAD").strip()
    repo.git("switch", "-q", "--detach", "main")
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "feature")
    return "7", base, head


def ran(project: Project, pull: tuple[str, str, str], **inputs: str) -> tuple[Job, Done]:
    job = project.job()
    done = job.run(inputs, pull, GITHUB_EVENT_NAME="pull_request", GITHUB_REF="refs/pull/7/merge")
    assert done.status == 0, done.log
    return job, done


def test_a_pull_request_gets_a_summary_and_an_artifact(cached: Project) -> None:
    pull = opened(cached)
    job, done = ran(cached, pull, memories="rules.jsonl")
    assert "### gitmem: 1 finding, risk " in done.summary
    assert "`src/till.py:2`" in done.summary
    assert "https://github.com/gitmem/shop/actions/runs/" in done.summary
    assert set(job.attached) == {"gitmem-pr/number", "gitmem-pr/pr.json", "gitmem-pr/pr.sarif"}
    assert job.attached["gitmem-pr/number"] == b"7\n"
    (finding,) = json.loads(job.attached["gitmem-pr/pr.json"])["review"]["findings"]
    assert finding["rule"] == "pattern/no-eval"
    assert json.loads(job.attached["gitmem-pr/pr.sarif"])["version"] == "2.1.0"
    assert done.commands == [] and len(cached.cache.keys) == 1


def test_it_is_not_summed_up_if_not_asked_for_or_without_one(cached: Project) -> None:
    pull = opened(cached)
    _, done = ran(cached, pull, **{"pull-request": "never"})
    assert "Sum up the pull request" not in done.ran
    assert "Sum up the pull request" not in cached.run().ran


def test_memories_come_from_the_base_and_a_missing_file_is_reported(cached: Project) -> None:
    pull = opened(cached)
    _, done = ran(cached, pull, memories="nowhere.jsonl")
    assert "could not be read from the base commit" in done.summary
    assert "### gitmem: nothing found" in done.summary


def test_hostile_names_reach_the_summary_as_code_only(cached: Project) -> None:
    pull = opened(cached, hostile=True)
    _, done = ran(cached, pull, memories="rules.jsonl")
    assert executed(cached) == [] and done.commands == []
    bare = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", done.summary)
    assert "pwned" not in bare and "@" not in bare and "<" not in bare


def test_a_base_that_a_shallow_checkout_lacks_fails_nothing(cached: Project, tmp_path: Any) -> None:
    pull = opened(cached)
    shallow = tmp_path / "shallow"
    cached.repo.git("clone", "-q", "--depth", "1", cached.repo.path.as_uri(), str(shallow))
    job = cached.job(shallow)
    done = job.run({}, pull, GITHUB_EVENT_NAME="pull_request")
    assert done.status == 0, done.log
    assert "lacks commits of the pull request" in done.summary
    assert "give `actions/checkout` the input `fetch-depth: 0`" in done.summary


def test_a_checkout_of_the_merge_and_its_parents_is_enough(cached: Project, tmp_path: Any) -> None:
    pull = opened(cached)
    shallow = tmp_path / "shallow"
    cached.repo.git("clone", "-q", "--depth", "2", cached.repo.path.as_uri(), str(shallow))
    done = cached.job(shallow).run(
        {"memories": "rules.jsonl"}, pull, GITHUB_EVENT_NAME="pull_request"
    )
    assert "### gitmem: 1 finding, risk " in done.summary
    assert "The checkout lacks commits" not in done.summary


# --- the comment --------------------------------------------------------------------------------

SHA = "a" * 40
FORGED = {"user": {"login": "mallory"}, "body": "<!-- gitmem pull request -->\nx", "id": 1}


@dataclass
class GitHub:
    """What the API of a stand-in for GitHub has, and which requests changed something."""

    archive: bytes
    head: str = SHA
    state: str = "open"
    size: int = 1000
    comments: list[dict[str, Any]] = field(default_factory=lambda: [FORGED])
    changes: list[tuple[str, str, str]] = field(default_factory=list)
    tokens: list[str | None] = field(default_factory=list)

    def answer(self, path: str) -> Any:
        if "/artifacts?" in path:
            found = {"id": 5, "name": "gitmem-pr", "expired": False, "size_in_bytes": self.size}
            return {"artifacts": [found]}
        if "/pulls/" in path:
            return {"state": self.state, "head": {"sha": self.head}}
        return self.comments


@pytest.fixture
def serve() -> Iterator[Any]:
    servers = []

    def start(hub: GitHub) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path.endswith("/zip"):
                    self.send_response(302)
                    self.send_header("Location", "/blob")
                    self.end_headers()
                    return
                if self.path == "/blob":
                    hub.tokens.append(self.headers.get("Authorization"))
                    self.reply(hub.archive)
                    return
                self.reply(json.dumps(hub.answer(self.path)).encode())

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]
                hub.changes.append((self.command, self.path, body))
                self.reply(b"{}")

            do_PATCH = do_POST

            def reply(self, data: bytes) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                """Nothing is printed."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def zipped(files: dict[str, bytes]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def commented(project: Project, api: str, **more: str) -> str:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(project.folder),
        "GITHUB_API_URL": api,
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_REPOSITORY": "gitmem/shop",
        "GITHUB_TOKEN": "secret-token",
        "RUN_ID": "99",
        "HEAD_SHA": SHA,
        "PROGRAM": str(project.program / "gitmem"),
        **more,
    }
    script = ROOT / "hooks/action/comment/comment.py"
    done = subprocess.run(
        [sys.executable, "-I", str(script)], env=env, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


@pytest.fixture
def files(cached: Project) -> dict[str, bytes]:
    job, _ = ran(cached, opened(cached), memories="rules.jsonl")
    return {name.partition("/")[2]: content for name, content in job.attached.items()}


def test_a_comment_is_posted_once_and_then_updated(
    cached: Project, files: dict[str, bytes], serve: Any
) -> None:
    hub = GitHub(zipped(files))
    api = serve(hub)
    assert "7 was posted" in commented(cached, api)
    (method, path, body) = hub.changes.pop()
    assert (method, path) == ("POST", "/repos/gitmem/shop/issues/7/comments")
    assert body.startswith("<!-- gitmem pull request -->\n### gitmem: 1 finding")
    assert "(https://github.com/gitmem/shop/actions/runs/99)" in body
    assert hub.tokens == [None]
    hub.comments.append({"user": {"login": "github-actions[bot]"}, "body": body, "id": 12})
    assert "7 was updated" in commented(cached, api)
    assert hub.changes.pop()[:2] == ("PATCH", "/repos/gitmem/shop/issues/comments/12")


def test_an_artifact_that_lies_posts_nothing(
    cached: Project, files: dict[str, bytes], serve: Any
) -> None:
    whole = zipped(files)
    for hub in (
        GitHub(whole, head="b" * 40),
        GitHub(whole, state="closed"),
        GitHub(whole, size=2 << 20),
        GitHub(b"no archive"),
        GitHub(zipped({"number": b"7\n"})),
        GitHub(zipped(files | {"number": b"7/../8"})),
        GitHub(zipped(files | {"number": b"0" * (8 << 20)})),
        GitHub(zipped(files | {"pr.json": b" " * (8 << 20)})),
        GitHub(zipped(files | {"pr.json": b'{"base": "# pwned"}'})),
    ):
        printed = commented(cached, serve(hub))
        assert printed.startswith("No comment was posted. "), printed
        assert hub.changes == []
    for name, value in (("RUN_ID", "1/../2"), ("HEAD_SHA", "main"), ("GITHUB_REPOSITORY", "a/b/c")):
        hub = GitHub(whole)
        assert "unexpected form" in commented(cached, serve(hub), **{name: value})
        assert hub.changes == []
