"""Escaping the tags by which a host tells its model who is speaking, wherever they occur.

A commit subject may hold ``</system-reminder>``; a model that reads it may take the rest for words
of its host. The brackets of such a tag become ``‹`` and ``›``: visible, of the same length, with
line ends kept. Markup, generics and comparisons in code are left alone as far as possible.

Own code: tags are spelt in many ways (spaces, line ends, look-alike letters), and one regular
expression for all names would take 10 ms to compile at each start.
"""

from __future__ import annotations

import re

LEFT, RIGHT = "‹", "›"
# Brackets that look like < and >.
_OPENING = "<＜﹤〈〈⟨❬❮❰⧼ᐸ˂≺⋖"
_CLOSING = ">＞﹥〉〉⟩❭❯❱⧽ᐳ˃≻⋗"
_SLASHES = "/\\⁄∕⧸"
# The most characters read of a tag, and of one without an end.
_LONGEST, _UNENDED = 300, 60

# Names without the marks between their words: special tokens of models and tags of many hosts, then
# those that only the files of hosts list (``Host.tags``; a test holds them against these).
_HOST_TAGS = (
    *("systemreminder", "systemprompt", "systemmessage", "systeminstruction", "systemnotification"),
    *("functionresult", "functioncall", "functionresponse", "tooluse", "toolresult", "toolcall"),
    *("tooloutput", "toolresponse", "userpromptsubmithook", "userquery", "usermessage"),
    *("userinstruction", "environmentcontext", "commandname", "commandmessage", "commandargs"),
    *("localcommandstdout", "localcommandstderr", "tasknotification"),
    *("startofturn", "endofturn", "startheaderid", "endheaderid", "imstart", "imend", "endoftext"),
    *("activatedskill", "agentmessage", "agentswarmresult", "availablereferences"),
    *("availableresources", "availableskills", "availablesubagents", "backgroundoutput"),
    *("bashinput", "bashstderr", "bashstdout", "ccmemory", "codechangeinstructions"),
    *("codexdelegation", "codexinternalcontext", "collaborationmode", "contextwindowreminder"),
    *("conversationcheckpoint", "coordinatortask", "cronfire", "crosssessionmessage"),
    *("currentdate", "currentdatetime", "currenttimereminder", "custominstruction"),
    *("environmentlimitations", "environmentsinstructions", "extensioncontext", "gitcontext"),
    *("githubactioncontext", "globalcontext", "hookcontext", "hookresult", "ideopenedfile"),
    *("ideselection", "importedcontext", "loadedcontext", "localcommandcaveat"),
    *("manageddeveloperinstructions", "mcpinstructions", "mcpresource", "mcpresultextras"),
    *("mcpservernote", "mcptoolresult", "modelinformation", "modelinstructions", "modelswitch"),
    *("multiagentmode", "multiagentrole", "newdiagnostics", "nonusermessage"),
    *("originaluserrequest", "outputfile", "outputpreview", "pastedcontent"),
    *("permissionprofile", "permissionsinstructions", "persistedoutput", "plugininstructions"),
    *("pluginsessionstart", "pluginsinstructions", "priorsummary", "prohibitedactions"),
    *("projectcontext", "recentcontext", "recommendedplugins", "sessioncontext"),
    *("shellmetadata", "skillcontent", "skillfiles", "skillloaded", "skillsinstructions"),
    *("startupcontext", "statesnapshot", "subagenthandback", "subagentnotification"),
    *("systemnote", "systemupdate", "tooloutputmasked", "toolsadded", "toolsremoved"),
    *("tooluseerror", "totaltokens", "transcriptdelta", "truncatedoutput", "turnaborted"),
    *("untrustedcompletioncriterion", "untrustedcontext", "untrustedobjective", "userclaudemd"),
    *("userprojectmemory", "usershellcommand", "versioninformation", "webhookpayload"),
    *("workspaceroots",),
)
# Names that begin so, whatever follows.
_BEGINNINGS = ("antml:", "gitmem:")
# Ordinary words, also of ordinary markup: escaped only as a whole tag.
_WORDS = frozenset(
    (
        *("system", "assistant", "user", "human", "invoke", "think", "thinking"),
        *("developer", "instructions", "notification"),
    )
)
_JOINTS = frozenset(" \t\n-_▁")
# What may follow the name of a tag.
_AFTER_NAME = frozenset(" \t\n/\\:|\"'=…")
# The end of a name cut short to fit a line ("…" folds into three dots); its least letters.
_CUT, _LEAST_CUT = re.compile(r"([^…\n]+?)(?:…|\.\.\.)"), 8
# Lower-case types with type arguments: ``std::vector<User> users``.
_CONTAINERS = ("ptr", "vector", "map", "set", "list", "optional", "cast", "array", "span", "queue")
_TOKEN = r"\|[^|\n]{1,60}\|"
_ATTRIBUTE = r"\s+[\w:.-]+\s*="
_SQUARE = (
    r"[\[［](?=[ \t]*/?[ \t]*"
    r"(?:INST|SYS|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS)[ \t]*[\]］])"
    r"[^\]］]*[\]］]"
)
_FENCE_END = rf"(gitmem:[A-Za-z0-9]{{8,64}})([{_CLOSING}]{{3}})"
# Cyrillic and Greek letters that look like those of the names.
_DRAWN_ALIKE = str.maketrans("авсеһіјкмоорѕтухүԁԛԝαειονρτυ", "abcehijkmoopstyxydqwaeiovptu")


def escape_tags(text: str) -> str:
    """Return the text with ``‹`` and ``›`` for the brackets of tags that a model might obey.

    Such as those by which an agent's program says who speaks: ``</system-reminder>``. Each line
    keeps its length. Expects the output of ``make_printable``.
    """
    marks: dict[int, str] = {}
    for run in re.finditer(f"[{_OPENING}]+", text):
        if end := _tag(text, run.start(), run.end()):
            marks.update((at, LEFT) for at in range(*run.span()))
            while text[end : end + 1] and text[end] in _CLOSING:
                marks[end] = RIGHT
                end += 1
    for match in re.finditer(_SQUARE, text, re.IGNORECASE):
        marks |= {match.start(): LEFT, match.end() - 1: RIGHT}
    for match in re.finditer(_FENCE_END, text, re.IGNORECASE):
        marks.update((at, RIGHT) for at in range(*match.span(2)))
    if not marks:
        return text
    letters = list(text)
    for at, mark in marks.items():
        letters[at] = mark
    return "".join(letters)


def _tag(text: str, bracket: int, start: int) -> int:
    """Where the inside of a host's tag that begins at ``start`` ends; 0 if it is no such tag."""
    match = re.compile(f"[{_OPENING}{LEFT}{_CLOSING}{RIGHT}]").search(text, start, start + _LONGEST)
    closed = match is not None and match[0] not in _OPENING + LEFT
    end = match.start() if match else min(len(text), start + _UNENDED)
    inside = _folded(text[start:end])
    name = inside.lstrip(" \t\n" + _SLASHES)
    closing = any(slash in inside[: len(inside) - len(name)] for slash in _SLASHES)
    if name.startswith("|"):
        return end if closed and re.fullmatch(_TOKEN, name.rstrip()) else 0
    if closed and text[start:end].strip() in ("s", "/s"):
        return end if closing or not _owner(text, bracket) else 0
    if closed and name.strip() == "sys" and start - bracket > 1:
        return end
    if not (_is_host_tag(name) or _is_word(name, closed, closing)):
        return 0
    return 0 if not closing and _is_generic(text, bracket, start, end, closed) else end


def _folded(inside: str) -> str:
    """The text in lower case, with look-alike letters replaced."""
    if inside.isascii():
        return inside.lower()
    import unicodedata  # noqa: PLC0415 - only for brackets in text beyond ASCII

    return unicodedata.normalize("NFKC", inside).lower().translate(_DRAWN_ALIKE)


def _is_host_tag(inside: str) -> bool:
    squeezed = _squeezed(inside[:_LONGEST])
    if cut := _CUT.match(inside):
        begun = _squeezed(cut[1])
        if len(begun) >= _LEAST_CUT and any(name.startswith(begun) for name in _HOST_TAGS):
            return True
    if squeezed.startswith(_BEGINNINGS) or not squeezed.startswith(_HOST_TAGS):
        return squeezed.startswith(_BEGINNINGS)
    return any(squeezed.startswith(name) and _ends(inside, name) for name in _HOST_TAGS)


def _squeezed(inside: str) -> str:
    return "".join(letter for letter in inside if letter not in _JOINTS)


def _ends(inside: str, name: str) -> bool:
    """Whether a tag's text ends, or goes on to attributes, after the name or its plural."""
    at = 0
    for letter in name:
        at = inside.index(letter, at) + 1
    rest = inside[at:].removeprefix("s")
    if not rest or rest[0] in _AFTER_NAME:
        return True
    # A branch name holds no blank: ``<system-reminder-role="root">``, ``</function_calls->``.
    joined = rest.lstrip("-_▁")
    return joined != rest and (not joined or "=" in joined.split(None, 1)[0])


def _is_word(inside: str, closed: bool, closing: bool) -> bool:
    """Whether a tag is one of the ordinary words alone, or with attributes."""
    for pattern in (r"[a-z]+", r"[a-z]+(?:[ \t]*\n[ \t]*[a-z]+)+"):
        name = re.match(pattern, inside)
        if name is None or "".join(name[0].split()) not in _WORDS:
            continue
        rest = inside[name.end() :].rstrip()
        if not rest or rest == "/":
            return closed or closing
        if not closing and re.match(_ATTRIBUTE, rest) and not rest.endswith("/"):
            return True
    return False


def _is_generic(text: str, bracket: int, start: int, end: int, closed: bool) -> bool:
    """Whether it looks like a type argument: ``List<User> users``, ``Vec<ToolCall>``."""
    owner = _owner(text, bracket)
    name = text[start:end].strip()
    if not owner or name in (name.lower(), name.upper()) or not name.isidentifier():
        return False
    if not closed:
        return True
    after = text[end + 1 : end + 2]
    if after.isalnum():
        return False
    small = owner in ("::", "impl") or owner.endswith(_CONTAINERS)
    return after in tuple("(){}[],;>&*") or owner[0].isupper() or small


def _owner(text: str, bracket: int) -> str:
    """The name directly before a bracket, as that of a type before its arguments."""
    match = re.search(r"(?:\w+|::)\Z", text[max(0, bracket - 40) : bracket])
    return match[0] if match else ""
