"""Secrets of indexed files and commits: no byte of them is stored, no line of them is told."""

from __future__ import annotations

import json
import random
from contextlib import closing, suppress
from itertools import cycle

from gitmem import operations
from gitmem.errors import InvalidInput
from gitmem.operations.registry import as_json_values
from gitmem.text.redact import redact
from tests.support.apps import Desk
from tests.support.repos import RepoBuilder
from tests.support.secrets import SECRET, leaked
from tests.support.stores import open_store
from tests.text.secret_samples import B64, FORMATS, PRIVATE, draw

COMMITTED, EACH = 40, 5
UNTRACKED = (
    *("prod.env", ".env", "terraform.tfvars", "terraform.tfstate", "kubeconfig", "dump.sql"),
    *("service-account.json", ".bash_history", "backup.sql", ".npmrc", "credentials.json"),
    *("secrets.yaml", "notes.txt", "scratch.py", "config.toml"),
)
SHAPES = {
    "py": 'def use_{0}():\n    """Why {1}."""\n    return """{1}"""\n',
    "md": "# Part {0}\n\n{1}\n",
    "js": "// {1}\nexport function use{0}() {{ return `{1}` }}\n",
    "yaml": "part{0}:\n  # {1}\n  value: |\n    {1}\n",
    "txt": "{1}\n",
}


def private_key(rng: random.Random) -> tuple[str, list[str]]:
    """A key of 25 lines, and its lines."""
    lines = [draw(rng, B64, 64) for _ in range(25)]
    kind = rng.choice(("RSA ", "EC ", "OPENSSH ", ""))
    body = "\n".join(lines)
    return f"-----BEGIN {kind}{PRIVATE}-----\n{body}\n-----END {kind}{PRIVATE}-----", lines


def known(name: str, rng: random.Random) -> tuple[str, str]:
    """A line with a secret that the rules know (which they know is tested with them)."""
    while True:
        line, secret = FORMATS[name](rng)
        if len(secret) >= 8 and secret not in redact(line).text:
            return line, secret


def planted(rng: random.Random) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """Committed files, untracked files, and every line that must not be seen again."""
    names, secrets = sorted(FORMATS), list[str]()
    files: dict[str, str] = {}
    for number in range(COMMITTED + len(UNTRACKED)):
        ending = list(SHAPES)[number % len(SHAPES)]
        text = ""
        for at in range(EACH - 1):
            line, secret = known(names[(number * EACH + at) % len(names)], rng)
            secrets += [part for part in secret.split("\n") if len(part) >= 8]
            text += SHAPES[ending].format(f"{number}_{at}", line.strip()) + "\n" * 3
        key, lines = private_key(rng)
        secrets += lines
        files[f"src/part{number}.{ending}"] = text + f"key = '''{key}'''\n\nafter_{number} = 1\n"
    committed = dict(list(files.items())[:COMMITTED])
    rest = list(files.values())[COMMITTED:]
    return committed, dict(zip(UNTRACKED, rest, strict=True)), secrets


def on_disk(desk: Desk) -> bytes:
    places = (desk.place / ".gitmem", desk.home)
    return b"".join(
        path.read_bytes() for place in places for path in sorted(place.rglob("*")) if path.is_file()
    )


def answers(desk: Desk, secrets: list[str]) -> str:
    """What search says to questions that come near the secrets, as JSON and as text, and orient."""
    messages = []
    queries = ["private key", "BEGIN RSA", "password token", "use_3_1", "after_7", "part 3"]
    queries += [secret[:12] for secret in secrets[:: len(secrets) // 6]]
    operation = operations.load_operation("search")
    modes = cycle(("symbol", "callers", "config"))
    for text in queries:
        for mode in ("hybrid", next(modes)):
            with suppress(InvalidInput):  # a question that has no name in it
                result = desk.run("search", query=text, mode=mode, limit=30)
                messages += [
                    json.dumps(as_json_values(result)).replace(text, ""),
                    operation.view(result),
                ]
    return "\n".join([*messages, desk.text("orient")])


def test_none_of_200_planted_secrets_is_stored_or_reported(repo: RepoBuilder) -> None:
    rng = random.Random("planted")
    committed, untracked, secrets = planted(rng)
    repo.commit("Plant", committed)
    repo.write(untracked)
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    desk.run("backup")
    stored = on_disk(desk)
    assert [secret for secret in secrets if secret.encode() in stored] == []
    with closing(desk.app()) as app:
        texts = "\n".join(row[0] for row in app.store.rows("SELECT text FROM chunks"))
    assert texts.count("[redacted:") > 200
    output = answers(desk, secrets)
    assert "[redacted:" in output
    assert [secret for secret in secrets if secret in output] == []


def test_lines_after_a_key_are_where_they_were(repo: RepoBuilder) -> None:
    key, _ = private_key(random.Random(1))
    repo.commit("Key", {"a.py": f"KEY = '''{key}'''\n\n\ndef after():\n    pass\n"})
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    (hit,) = desk.run("search", query="after", mode="symbol").hits
    assert (hit.start_line, hit.end_line) == (30, 31)


def test_names_of_files_branches_and_people(repo: RepoBuilder) -> None:
    repo.commit(
        f"Use {SECRET}",
        {f"src/{SECRET}.py": "x = 1\n", f"{SECRET}/b.py": "y = 1\n", "fine.py": "z = 1\n"},
        author=f"{SECRET} <a@example.org>",
    )
    repo.branch(f"try-{SECRET}")
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    done = desk.run("index")
    assert done.reasons["its name holds a secret"] == 2
    assert not leaked(on_disk(desk))
    messages = [desk.text("search", query=text) for text in ("use", "src", "x", "fine")]
    messages += [desk.text(name) for name in ("orient", "index", "status", "timeline")]
    assert [text for text in messages if leaked(text.encode())] == []


def test_an_index_of_an_earlier_version_is_made_again_without_its_secrets(
    repo: RepoBuilder,
) -> None:
    desk = Desk(repo.path, repo.home, GITMEM_MODEL="hashed")
    desk.run("init", no_hooks=True)
    with closing(open_store(str(desk.store))) as old, old.write():
        # As version 4 stored it.
        old.run("UPDATE chunks SET text = text || ?", (SECRET,))
        old.run("INSERT INTO chunk_text (rowid, body) VALUES (9999, ?)", (SECRET,))
        old.connection.pragma("user_version", old.connection.pragma("user_version") - 1)
    assert leaked(desk.store.read_bytes())
    with closing(desk.app()) as app:
        assert app.store.value("SELECT count(*) FROM chunks") == 0
        assert not leaked(on_disk(desk))
    assert desk.run("index").added == 2
