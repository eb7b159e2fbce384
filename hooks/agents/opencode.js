// >>> gitmem >>> written by `gitmem setup`; `gitmem setup --remove` takes it out
// Gives OpenCode the memory of this repository. Whatever fails here is silent: OpenCode goes on.
import { spawn } from "node:child_process"

const program = ["gitmem"]

function hook(event, payload, cwd, wait) {
  return new Promise((answer) => {
    let out = ""
    try {
      const child = spawn(program[0], [...program.slice(1), "hook", "opencode", event], {
        cwd,
        stdio: ["pipe", "pipe", "ignore"],
        windowsHide: true,
      })
      const timer = setTimeout(() => {
        child.kill()
        answer("")
      }, wait)
      child.on("error", () => answer(""))
      child.on("close", () => {
        clearTimeout(timer)
        answer(out)
      })
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (text) => (out += text))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(payload))
    } catch {
      answer("")
    }
  })
}

export const Gitmem = async ({ directory }) => {
  // One text for each session: other bytes in the system prompt would empty the prompt's cache.
  const texts = new Map()
  const orientation = (sessionID, source) => {
    if (source === "compact" || !texts.has(sessionID))
      texts.set(sessionID, hook("session-start", { sessionID, source, cwd: directory }, directory, 5000))
    return texts.get(sessionID)
  }
  return {
    "experimental.chat.system.transform": async (input, output) => {
      if (!input?.sessionID) return
      const text = await orientation(input.sessionID, "startup")
      if (text) output.system.push(text)
    },
    "experimental.session.compacting": async (input, output) => {
      await hook("pre-compact", { sessionID: input?.sessionID, cwd: directory }, directory, 5000)
      const text = await orientation(input?.sessionID, "compact")
      if (text) output.context.push(text)
    },
    "tool.execute.after": async (input, output) => {
      const event = { edit: "post-edit", write: "post-edit", patch: "post-edit", bash: "post-command" }[input.tool]
      if (event) hook(event, { ...input, title: output?.title, metadata: output?.metadata, cwd: directory }, directory, 5000)
    },
    event: async ({ event }) => {
      const sessionID = event?.properties?.sessionID ?? event?.properties?.info?.id
      if (event?.type === "session.idle") hook("stop", { sessionID, cwd: directory }, directory, 5000)
      if (event?.type === "session.deleted") hook("session-end", { sessionID, cwd: directory }, directory, 5000)
    },
  }
}
// <<< gitmem <<<
