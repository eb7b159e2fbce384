"""Real servers of git: its daemon, its program for HTTP, and ssh; each accepts or refuses."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import CGIHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from gitmem.errors import Unavailable
from gitmem.git import record_repository
from tests.sync.conftest import Clone

Make = Callable[..., Clone]
CORE = Path(subprocess.check_output(["git", "--exec-path"], text=True).strip())
SSHD = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(200):
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise AssertionError(f"nothing listens on {port}")


@contextmanager
def running(words: list[str], port: int) -> Iterator[None]:
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(port)
            yield
        finally:
            server.terminate()


def exchange(clone: Make, hub: Path, address: str) -> None:
    """A memory goes from one clone by the server into another."""
    ada, grace = clone("ada", enabled=False), clone("grace", enabled=False)
    for each in (ada, grace):
        each.git("remote", "set-url", "origin", address)
        each.sync("enable", yes=True)
    id = ada.remember("Redis listens on 6380")
    assert ada.sync().sent == 1
    assert grace.sync().added == 1
    ada.revise(id, "Redis listens on 6381")
    ada.sync()
    assert grace.sync().updated == 1
    ada.run("purge", id=id)
    assert ada.sync("prune").pruned == 2
    assert grace.sync().purged == 1


@pytest.mark.skipif(not (CORE / "git-daemon").exists(), reason="git has no daemon here")
def test_git_daemon(clone: Make, hub: Path) -> None:
    port = free_port()
    words = ["git", "daemon", "--reuseaddr", "--export-all", f"--base-path={hub.parent}"]
    words += ["--listen=127.0.0.1", f"--port={port}"]
    address = f"git://127.0.0.1:{port}/{hub.name}"
    with running([*words, "--enable=receive-pack"], port):
        exchange(clone, hub, address)


@pytest.mark.skipif(not (CORE / "git-daemon").exists(), reason="git has no daemon here")
def test_git_daemon_that_only_reads(clone: Make, hub: Path) -> None:
    port = free_port()
    words = ["git", "daemon", "--reuseaddr", "--export-all", f"--base-path={hub.parent}"]
    with running([*words, "--listen=127.0.0.1", f"--port={port}"], port):
        ada = clone("ada", enabled=False)
        ada.git("remote", "set-url", "origin", f"git://127.0.0.1:{port}/{hub.name}")
        ada.sync("enable", yes=True)
        ada.remember("Redis listens on 6380")
        assert ada.sync("pull").added == 0
        with pytest.raises(Unavailable, match="You may not write"):
            ada.sync("push")
        assert ada.sync("status").sent == 1, "nothing is lost"


class Backend(CGIHTTPRequestHandler):
    """git's own program behind Python's server, as behind any other."""

    root = ""
    allowed = True
    header = ""  # what a request must say

    def is_cgi(self) -> bool:
        self.cgi_info = "", self.path.lstrip("/")
        return True

    def run_cgi(self) -> None:
        path, _, query = self.path.partition("?")
        if not self.allowed or (self.header and self.headers.get("X-Token") != self.header):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length) if length else self._chunks()
        env = os.environ | {
            "GIT_PROJECT_ROOT": self.root,
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            "REMOTE_USER": "ada",
            "REMOTE_ADDR": "127.0.0.1",
        }
        program = str(CORE / "git-http-backend")
        done = subprocess.run([program], env=env, input=body, capture_output=True, check=False)
        head, _, content = done.stdout.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().splitlines()]
        status = next((value for name, value in fields if name == "Status"), "200 OK")
        self.send_response(int(status.split()[0]))
        for name, value in fields:
            if name not in ("Status", "Content-Length"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _chunks(self) -> bytes:
        body = b""
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
        return body

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def serving(hub: Path, *, allowed: bool = True, header: str = "") -> Iterator[str]:
    fields = {"root": str(hub.parent), "allowed": allowed, "header": header}
    handler = type("Handler", (Backend,), fields)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/{hub.name}"
        server.shutdown()


@pytest.mark.skipif(not (CORE / "git-http-backend").exists(), reason="git has no program for HTTP")
def test_http(clone: Make, hub: Path) -> None:
    with serving(hub) as address:
        exchange(clone, hub, address)


@pytest.mark.skipif(not (CORE / "git-http-backend").exists(), reason="git has no program for HTTP")
def test_http_that_asks_for_a_password_is_asked_nothing(clone: Make, hub: Path) -> None:
    with serving(hub, allowed=False) as address:
        ada = clone("ada", enabled=False)
        secret = address.replace("//", "//ada:hunter2@")
        ada.git("remote", "set-url", "origin", secret)
        ada.sync("enable", yes=True)
        assert "hunter2" not in ada.text("sync", action="status")
        ada.git("remote", "set-url", "origin", address)
        ada.sync("enable", yes=True)
        with pytest.raises(Unavailable, match="asks for credentials") as caught:
            ada.sync("push") if ada.remember("Redis listens on 6380") else None
        assert "hunter2" not in caught.value.as_sentences()


@pytest.mark.skipif(not (CORE / "git-http-backend").exists(), reason="git has no program for HTTP")
def test_http_with_the_header_that_ci_sets(clone: Make, hub: Path) -> None:
    with serving(hub, header="open") as address:
        place = address.rpartition("/")[0] + "/"

        def ready(name: str, **more: Any) -> Clone:
            made = clone(name, **more)
            made.git("config", f"http.{place}.extraheader", "X-Token: open")
            return made

        exchange(ready, hub, address)
        found = record_repository.read_remote_device_tips(
            address, git_settings=[(f"http.{place}.extraheader", "X-Token: open")]
        )
        assert len(found) == 1
        with pytest.raises(Unavailable):
            record_repository.read_remote_device_tips(address)


def test_a_server_that_says_nothing_is_left_after_a_while(
    clone: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitmem.sync import exchange, link

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        ada = clone("ada", enabled=False)
        port = listening.getsockname()[1]
        ada.git("remote", "set-url", "origin", f"git://127.0.0.1:{port}/x")
        app = ada.app()
        try:
            with pytest.raises(Unavailable, match="did not answer within"):
                exchange.pull_records(app, link.find_sync_remote(app), timeout=0.5)
        finally:
            app.close()


@pytest.mark.skipif(SSHD is None, reason="there is no sshd here")
def test_ssh(clone: Make, hub: Path, tmp_path: Path) -> None:
    assert SSHD is not None
    port, home = free_port(), tmp_path / "ssh"
    home.mkdir(mode=0o700)
    for name in ("host", "user"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(home / name)]
        subprocess.run(words, check=True)
    (home / "authorized").write_text((home / "user.pub").read_text())
    (home / "authorized").chmod(0o600)
    settings = {
        "Port": port, "ListenAddress": "127.0.0.1", "HostKey": home / "host",
        "AuthorizedKeysFile": home / "authorized", "StrictModes": "no", "UsePAM": "no",
        "PidFile": home / "pid", "PasswordAuthentication": "no", "PermitRootLogin": "yes",
    }  # fmt: skip
    (home / "config").write_text("".join(f"{key} {value}\n" for key, value in settings.items()))
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    with running([SSHD, "-D", "-f", str(home / "config")], port):
        known = home / "known"
        address = f"ssh://{getpass.getuser()}@127.0.0.1:{port}{hub}"
        ada = clone("unknown", enabled=False)
        ada.git("remote", "set-url", "origin", address)
        ada.sync("enable", yes=True)
        ada.git("config", "--global", "core.sshCommand", f"ssh -oUserKnownHostsFile={known}")
        with pytest.raises(Unavailable, match="host key is not known"):
            ada.sync()
        scan = ["ssh-keyscan", "-p", str(port), "127.0.0.1"]
        known.write_bytes(subprocess.run(scan, check=True, capture_output=True).stdout)
        with pytest.raises(Unavailable, match="credentials"):
            ada.sync()
        command = f"ssh -oUserKnownHostsFile={known} -i {home / 'user'}"

        def ready(name: str, **more: Any) -> Clone:
            made = clone(name, **more)
            made.git("config", "--global", "core.sshCommand", command)
            return made

        exchange(ready, hub, address)


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, "-q"]))
