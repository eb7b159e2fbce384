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

const TOOLS = {
  edit: "post-edit",
  write: "post-edit",
  patch: "post-edit",
  multiedit: "post-edit",
  apply_patch: "post-edit",
  bash: "post-command",
}

export const Gitmem = async ({ client, directory }) => {
  const call = (event, payload, wait = 3000) => hook(event, { ...payload, cwd: directory }, directory, wait)
  // One text for each session: other bytes in the system prompt would empty the prompt's cache.
  const texts = new Map()
  const notes = new Map()
  const open = new Set()
  const orient = (sessionID, source) => {
    if (source === "compact" || !texts.has(sessionID)) texts.set(sessionID, told(sessionID, source))
    return texts.get(sessionID)
  }
  const told = async (sessionID, source) => {
    open.add(sessionID)
    const text = await call("session-start", { sessionID, source }, 5000)
    return [text, notes.get(sessionID)].filter(Boolean).join("\n")
  }
  // OpenCode's own agents make titles and summaries: what the memory says is not for those.
  let hidden
  const ofAgents = async () => {
    const known = await client.app.agents()
    return (known?.data ?? []).filter((one) => one.hidden && one.prompt).map((one) => one.prompt.trim())
  }
  const isTask = async (system) => {
    hidden ??= ofAgents().catch(() => [])
    const first = (system?.[0] ?? "").trim()
    return (await hidden).some((prompt) => first.startsWith(prompt))
  }
  return {
    "chat.message": async (input, output) => {
      const sessionID = input?.sessionID
      const said = output?.parts?.filter((part) => part.type === "text" && !part.synthetic)
      if (!sessionID || !said?.length) return
      open.add(sessionID)
      const text = await call("prompt", { sessionID, prompt: said.map((part) => part.text).join("\n") })
      if (!text) return
      // The first message is also sent for a title: what belongs to it goes below the orientation.
      if (!texts.has(sessionID)) return notes.set(sessionID, text)
      const last = output.parts.at(-1)
      output.parts.push({ id: `${last.id}0`, sessionID, messageID: last.messageID, type: "text", synthetic: true, text })
    },
    "experimental.chat.system.transform": async (input, output) => {
      if (!input?.sessionID || (await isTask(output?.system))) return
      const text = await orient(input.sessionID, "startup")
      if (text) output.system.push(text)
    },
    "experimental.session.compacting": async (input) => {
      if (!input?.sessionID) return
      notes.delete(input.sessionID)
      await call("pre-compact", { sessionID: input.sessionID }, 5000)
      // Not for the summary itself: the next request has it in its system prompt.
      await orient(input.sessionID, "compact")
    },
    "tool.execute.after": async (input, output) => {
      const event = TOOLS[input?.tool]
      if (!event) return
      open.add(input.sessionID)
      const text = await call(event, { ...input, title: output?.title, metadata: output?.metadata })
      if (text && typeof output?.output === "string") output.output += `\n\n${text}`
    },
    event: async ({ event }) => {
      const sessionID = event?.properties?.sessionID ?? event?.properties?.info?.id
      if (event?.type === "session.idle") call("stop", { sessionID })
      if (event?.type === "session.deleted" && open.delete(sessionID)) call("session-end", { sessionID })
    },
    dispose: async () => {
      await Promise.all([...open].map((sessionID) => call("session-end", { sessionID })))
      open.clear()
    },
  }
}
// <<< gitmem <<<
