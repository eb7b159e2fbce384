"""OpenCode's plugin, run by Node as OpenCode runs it, with a real gitmem behind it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gitmem.agents.events import event_log
from gitmem.text.redact import redact
from tests.support import on_path, prefork
from tests.support.apps import Desk
from tests.support.hooked import Agent
from tests.support.repos import RepoBuilder
from tests.support.waiting import wait_until

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not installed")
CART = "src/cart/cart.py"
RULE, FACT = "Carts are immutable", "Redis listens on 6380"
TITLES = "You are a title generator."
# What OpenCode 1.18 does with a plugin: it calls hooks with what they may change.
_SCENE = """
import { Gitmem } from "./gitmem.mjs"
const at = { sessionID: "ses_0123456789abcdef" }
const agents = [{ name: "title", hidden: true, prompt: "TITLES\\n" }, { name: "build" }]
const client = { app: { agents: async () => ({ data: agents }) } }
const hooks = await Gitmem({ client, directory: process.argv[2] })
const part = { id: "prt_1", messageID: "msg_1", type: "text", text: "Mend the cart" }
const parts = [part]
await hooks["chat.message"]({ ...at }, { message: {}, parts })
const system = async (first) => {
  const output = { system: [first] }
  await hooks["experimental.chat.system.transform"]({ ...at }, output)
  return output.system
}
const title = await system("TITLES")
const first = await system("You are an agent. <env></env>")
const second = await system("You are an agent. <env></env>")
const tool = { output: "Edited.", title: "cart.py", metadata: {} }
const args = { filePath: "CART" }
const worker = { sessionID: "ses_worker0123456789" } // not oriented, so all is new to it
await hooks["tool.execute.after"]({ ...worker, tool: "edit", callID: "c", args }, tool)
const read = { output: "x" }
await hooks["tool.execute.after"]({ ...at, tool: "read", callID: "c", args: {} }, read)
const context = []
await hooks["experimental.session.compacting"]({ ...at }, { context })
const after = await system("You are an agent. <env></env>")
await hooks["tool.execute.after"]({ ...at, tool: "bash" }, undefined)
await hooks["chat.message"](undefined, undefined)
await hooks.dispose()
const lone = await Gitmem({ directory: process.argv[2] })
const output = { system: ["TITLES"] }
await lone["experimental.chat.system.transform"]({ sessionID: "ses_another0123456" }, output)
const made = { parts, title, first, second, tool, read, context, after, lone: output }
console.log(JSON.stringify(made))
"""


def called(bare_desk: Desk, repo: RepoBuilder, tmp_path: Path) -> dict[str, Any]:
    """What the hooks made of what OpenCode handed them."""
    repo.commit("A cart", {CART: "total = 0\n"})
    bare_desk.run("init", no_hooks=True, no_index=True)
    bare_desk.run("remember", text=FACT, pin=True)
    bare_desk.run("remember", text=RULE, kind="convention", path=(CART,))
    root = Path(__file__).parents[3]
    program = on_path.words()  # forked: one from nothing meets its deadline on a busy machine
    plugin = (root / "hooks" / "agents" / "opencode.js").read_text()
    plugin = plugin.replace('["gitmem"]', json.dumps(program))
    (tmp_path / "gitmem.mjs").write_text(plugin)
    scene = _SCENE.replace("TITLES", TITLES).replace("CART", str(repo.path / CART))
    (tmp_path / "scene.mjs").write_text(scene)
    env = {**os.environ, **bare_desk.env, "PYTHONPATH": prefork.PLACES}
    done = subprocess.run(
        [str(NODE), "scene.mjs", str(repo.path)],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_opencodes_ids_are_no_tokens() -> None:
    """Of 1.18.33. An id that is blanked is no session's: each note of it began another."""
    for id in ("ses_df58c13feffeHkO1PFv1cavcDo", "msg_20a73ec04001Fq1OAmvLuhPKzz"):
        assert redact(f"session {id}, noted").text == f"session {id}, noted"
    for other in ("ses_df58c13feffeHkO1PFv1cavcDoX9", "key_df58c13feffeHkO1PFv1cavcDo"):
        assert other not in redact(f"session {other}, noted").text


def test_what_opencode_is_given_where(bare_desk: Desk, repo: RepoBuilder, tmp_path: Path) -> None:
    """One run for all, which takes seconds: what is told, where, and that its end is noted."""
    output = called(bare_desk, repo, tmp_path)
    assert output["title"] == [TITLES]
    assert FACT in output["first"][1]
    assert output["second"] == output["first"]
    assert output["context"] == []  # the request for a summary
    assert FACT in output["after"][1]
    # Without the list of agents it is told rather than lost.
    assert FACT in output["lone"]["system"][1]
    assert output["parts"] == [
        {"id": "prt_1", "messageID": "msg_1", "type": "text", "text": "Mend the cart"}
    ]
    assert output["tool"]["output"].startswith("Edited.\n\n<<<gitmem:")
    assert RULE in output["tool"]["output"]
    assert output["read"] == {"output": "x"}
    for client in ("ses_0123456789abcdef", "ses_worker0123456789"):
        # A drain may be at work on the notes by now, or have ended the session.
        agent = Agent(bare_desk, client, agent="opencode")
        wait_until(
            lambda agent=agent: (
                any(note.what == event_log.END for note in agent.noted())
                or any(session.ended_at for session in agent.sessions())
            )
        )
