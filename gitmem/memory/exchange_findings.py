"""Finding what is worth keeping in what was said: conventions, decisions, fixes. Pure.

Few and precise: only plain wordings count. A convention is a rule that the user states, or an
order that he has to give twice. A decision is a choice that the user makes. A fix is a cause that
the agent reports in the end after something failed, in an exchange that changed files and whose
tools passed; causes that it names on the way are often taken back. Pasted text, code, quotes and
what hosts put into a prompt are not read, nor what a sub-agent was asked: an agent wrote that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from gitmem.memory.decision_finder import lines_without_gitmem_output
from gitmem.model.exchange import FAILED, Exchange
from gitmem.model.frozen import dataclass

CONVENTION, DECISION, FIX = "convention", "decision", "fix"
# A longer message was pasted or is a plan; a longer sentence is no rule.
_TYPED, _SHORTEST, _LONGEST, _LEAST = 1_000, 12, 240, 8
_MOST_PATHS = 5
# Of a report so many sentences are taken from the cause on: most say what came of it.
_SENTENCES = 3
# The share of words in common from which two sentences say the same.
_SAME = 0.6

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
# What a host or a program wrote into the prompt.
_NOT_TYPED = re.compile(
    r"(?i)\A\s*(?:<|\[(?:request|image)|caveat:|this session is being continued|#\s|implement the "
    r"following plan|base directory for this skill)"
)
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\b[ei]\.[ge]\.)\s+(?=[\"'`(]?[A-Za-z])|\n+")
_LEAD = re.compile(r"^(?:\s*(?:[-*>•]|\d{1,2}[.)])\s+)+")
_ADDRESS = re.compile(
    r"(?i)^(?:(?:no(?! matter)|nope|nah|ok|okay|yes|yeah|yep|hmm|wait|also|and|but|so|please|btw|"
    r"oh|man|actually|remember|well|again|cool|great|nice|sorry)\b[,.:!\s-]*|"
    r"(?:like )?(?:i|we) (?:already )?(?:said|told you|mentioned)[,:]? (?:that |to )?)+"
)


@dataclass(frozen=True, slots=True)
class ConversationLesson:
    """Something worth remembering in a conversation: its kind, title, text and the evidence for it.

    ``number`` is that of its exchange (a prompt with its answer), ``sentence`` the sentence that it
    rests on, ``sure`` a confidence from 0 to 1, ``paths`` the files that were changed.
    """

    kind: str
    title: str
    content: str
    number: int
    evidence: str
    sure: float
    sentence: str
    paths: tuple[str, ...] = ()


# A rule for every time, not for this one.
_RULE = re.compile(
    r"(?i)^(?:(?:you (?:should|must) )?(?:always|never)\s+(?!ha(?:ve|s|d)\b|for\b|\w+ed\b)\w|"
    r"you (?:should|must) not\s+(?!have\b)\w|"
    r"(?:from now on|going forward|in (?:the )?future|as a rule|in general)\b[,:]?\s+\w|"
    r"(?:don'?t|do not) (?:ever|commit|push|amend|rebase|force|hard-?code|mock|swallow)\b|"
    r"(?:we|in this (?:repo|repository|project|codebase),? we) (?:always|never|only (?:ever )?\w+|"
    r"prefer|(?:don'?t|do not) (?:even |ever )?(?:use|commit|want (?:any|to)|do|call|name|"
    r"put|mock|need .*[`\d]|support|add|write)|use \S+ (?:for|not|instead|here|everywhere|in|to)|"
    r"call (?:it|this|them|that)|keep|want (?:all|every)|should (?:always|never|not|be using|"
    r"use))\b|in this (?:repo|repository|project|codebase),? we want\b|"
    r"[\w ,'`/.-]{3,60} (?:should|must) (?:always|never|only)\b|"
    r"[\w ,'`/.-]{3,60}, (?:always|never) \w+|"
    r"(?:please )?use [`'\w./@:-]+(?: [`'\w./@:-]+){0,4}?,? (?:(?:instead of|and not|not|rather "
    r"than|over) \S+(?: \S+){0,2}(?:[,;(]| for | in | because |\W*$)|"
    r"(?:in|for) (?:this|our|the) (?:repo|repository|project|codebase)\b)|"
    r"prefer .+ (?:over|to|instead of|rather than)\b|stick (?:to|with) \w)"
)
_CORRECTED = re.compile(r"(?i)^(?:no|nope|nah|stop)\b[,.! ]+")
# What the user says a second time.
_REPEATED = re.compile(
    r"(?i)\b(?:(?:i|we) (?:already )?(?:said|told you|mentioned|asked)|as i said|once again|"
    r"how (?:many|often) times?|keep (?:doing|using|forgetting))\b"
)
_REMINDER = re.compile(r"(?i)[\s,;–-]+(?:like|as) (?:i|we) (?:already )?said\W*$")
# A wish that counts where it is given again.
_WISH = re.compile(r"(?i)\b(?:we want|should|must)\b")
# The same as the whole of a correction: "no, use pnpm", "no, don't use npm".
_USE = re.compile(
    r"(?i)^(?:don'?t |do not )?(?:use|run) (?!(?:the|an?|this|that|my|our|your)\b)[`'\"]?[\w.-]"
)
# Of this time only, or nothing to keep.
_ONCE = re.compile(
    r"(?i)\b(?:for now|for the time|right now|"
    r"this (?:time|one|change|pr|branch|commit|case|session|file|test)|"
    r"yet|until|when (?:you're|i'm|i\b)|here's|that test|these tests?|today|tomorrow|currently|"
    r"at the moment|the (?:first|second|last|next|rest|other|following|above|below|former|latter)|"
    r"anything|"
    r"any ?more|any longer|option [\da-d]\b|go ahead|so far|number|as well|too|i'm|i am|"
    r"(?:step|part|task|item|phase|point|issues?|finding|question|comment|chunk|pr) #?\d+|#\d+|"
    r"line \d+|know (?:if|what|how|why|when)|think|sure|worry|forget|care|understand|see|seems?|"
    r"wonder\w*|guess|already|still|again|never mind|thank\w*)\b|\?\s*$|\bif (?:it|that|you|we "
    r"don'?t)\b|\bnow\b|:$"
)
_VAGUE = re.compile(
    r"(?i)^\W*(?:always|never|don'?t|do not|we|use|all|every|each|prefer|keep)?\W*"
    r"(?:don'?t|do not|ever)?\W*(?:use|do|want|need|add|commit|push|change|create|touch|call)?\s*"
    r"(?:to )?(?:it|that|this|them|these|those|any|so|one|commit|push|anything)?\W*$"
)
# A word that points at something else than the sentence; a name makes up for it, but not where it
# is the subject.
_ABOUT = re.compile(r"(?i)(?:it|this|that|these|those|they|he|she)\b")
_POINTS = re.compile(r"(?i)\b(?:it|this|that|these|those|them|there|here|such|he|she|they)\b")
_HERE = re.compile(
    r"(?i)\b(?:(?:in|for) (?:this|our|the) (?:repo|repository|project|codebase)|so that)\b"
)
_NAMED = re.compile(
    r"[`\"][^`\"\n]{2,80}[`\"]|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|\b[\w-]+\.\w{1,5}\b|--\w|\w/\w|"
    r"\b[A-Z]{2,}\b"
)

_CHOICE = re.compile(
    r"(?i)^(?:(?:let'?s|we(?:'ll| will| should| want to)|i(?:'d| would)? (?:want|like|prefer)"
    r"(?: us)? to|i(?:'ve| have)? decided (?:to|that|on)|"
    r"we(?:'ve| have)? (?:decided|agreed) (?:to|that|on)|"
    r"(?:the )?decision(?: is)?:?)\s+(?:go (?:with|for)|use|switch (?:to|from)|stick (?:with|to)|"
    r"drop|remove|replace|move (?:to|from|away)|default to|make|keep|call|rename (?!to)|support|"
    r"require|not (?:support|use|add)|never|standardi[sz]e|avoid)\b|go with \w)"
)
_REASON = re.compile(
    r"(?i)\b(?:because|since|so that|instead|rather than|not|in favou?r of|as it|cause|"
    r"to avoid|otherwise|so we|that way|in order to|for consistency)\b"
)
_CAUSE = re.compile(
    r"(?i)^(?:(?:i )?(?:found (?:it|the (?:issue|problem|bug|root cause))|got it|i see)"
    r"[\s:.!—–-]*)?(?:(?:the|this|a)?\s*(?:(?:real|actual|underlying|main|core)\s+)?"
    r"(?:root cause|problem|issue|bug|culprit|failure|reason|mismatch)"
    r"(?: here)?(?: (?:is|was)(?: that)?|(?: occurs| happens| comes| came)?(?: because| from)|:)"
    r"\s+\S|(?:it|this|the test|the tests|that) (?:failed|fails|broke|crashed|happened|happens) "
    r"because\s)"
)
_ROOT = re.compile(r"(?i)root cause\b")
_LEAD_OF_CAUSE = re.compile(
    r"(?i)^(?:[^`:]{0,40}?\b(?:root cause|problem|issue|bug|culprit|failure|reason|mismatch)"
    r"(?: here)?(?: (?:is|was)(?: that)?|:))\s+"
)
_CODE = re.compile(r"`[^`\n]{2,80}`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w+|\b[\w-]+\.[a-z]{1,5}\b|--\w")
_ASKS_FIX = re.compile(
    r"(?i)\b(?:fail\w*|error\w*|broke\w*|bugs?|crash\w*|doesn'?t work|not working|isn'?t|wrong|"
    r"fix|still|why|panic\w*|flaky|hang\w*|regress\w*|issue)\b"
)
_STILL = re.compile(
    r"(?i)^\W*(?:no|nope|hmm|still|that (?:didn'?t|does ?n'?t)|same|not (?:fixed|working)|it"
    r"(?:'s| is)? still|wrong|revert|undo|that'?s not|doesn'?t)\b|\A[^?]{0,200}\b(?:still (?:"
    r"not?|the same|fail\w*|does\w*|gets?|getting|broken)|(?:does|did|do)(?:n'?t| not) (?:work|"
    r"help|do anything)|not (?:fixed|working|solved)|no change|same (?:error|issue|problem))\b"
)
# A guess, a place without a cause, or a slip of this session.
_NO_CAUSE = re.compile(
    r"(?i)\b(?:might|may|could|maybe|perhaps|probably|likely|seems?|appears?|suspect|possibly|let "
    r"me|i'?ll|should be|need to (?:check|look|see)|clear|straightforward|my (?:earlier|previous|"
    r"change|edit)\w*|we should|i (?:was|used|wrote|made|created|forgot|missed|accidentally)|"
    r"you (?:ran|were|are)|"
    r"worktree i|missing .{0,20}import|old (?:binary|build)|i'm|not working|doesn'?t work|"
    r"somewhere|is undefined|was still|stuck|showed|warnings?)\b|[:,]$|\bin [`\w./-]+:\d+`?$|"
    r"\b(?:is|was) (?:in|on|at) [^:;,—–]*$"
)
# What an agent says of its next step; a cause that it names before one is an idea on the way.
_GOES_ON = re.compile(r"(?i)\b(?:let me|let's|i(?:'ll| will| need to| should)|now (?:i|let))\b")


def find_lessons(exchanges: Sequence[Exchange]) -> list[ConversationLesson]:
    """The ConversationLessons in a conversation, in order; each is given once, however often said.

    ``exchanges`` are the prompts of a conversation with their answers.
    """
    lessons: list[ConversationLesson] = []
    for at, exchange in enumerate(exchanges):
        after = exchanges[at + 1] if at + 1 < len(exchanges) else None
        for lesson in (*_of_user(exchange), *_fix(exchange, after)):
            if not any(_say_the_same(lesson.sentence, other.sentence) for other in lessons):
                lessons.append(lesson)
    return lessons


def _say_the_same(left: str, right: str) -> bool:
    words, others = (set(re.findall(r"\w+", text.lower())) for text in (left, right))
    return len(words & others) >= _SAME * len(words | others)


def text_typed_by_person(prompt: str) -> str:
    """The part of a prompt that a person typed, without fenced code and quoted output of gitmem.

    Empty if it seems to be pasted or written by the agent program, or has over 1,000 characters.
    """
    if _NOT_TYPED.match(prompt):
        return ""
    bare = _FENCED.sub("\n", "\n".join(lines_without_gitmem_output(prompt)))
    return bare if len(bare) <= _TYPED else ""


def _sentences(text: str) -> Iterator[str]:
    for raw in _SENTENCE.split(text.replace("**", "")):
        bare = " ".join(_LEAD.sub("", raw).split())
        if _SHORTEST <= len(bare) <= _LONGEST:
            yield bare


def _of_user(exchange: Exchange) -> Iterator[ConversationLesson]:
    for sentence in _sentences("" if exchange.parent else text_typed_by_person(exchange.user)):
        bare = _ADDRESS.sub("", sentence).strip()
        if len(bare) < _LEAST or _ONCE.search(bare) or _VAGUE.match(bare):
            continue
        points = _POINTS.search(_HERE.sub("", bare))
        if _ABOUT.match(bare) or (points and not _NAMED.search(bare)):
            continue
        if _REPEATED.search(sentence) and (_RULE.match(bare) or _WISH.search(bare)):
            yield _made(CONVENTION, bare, exchange, "the user said it again", 0.75)
        elif (corrected := _CORRECTED.match(sentence) and _USE.match(bare)) or _RULE.match(bare):
            evidence = "a correction by the user" if corrected else "a rule that the user stated"
            yield _made(CONVENTION, bare, exchange, evidence, 0.75)
        elif _CHOICE.match(bare) and _REASON.search(bare) and not points:
            yield _made(DECISION, bare, exchange, "a choice of the user", 0.5)


def _made(
    kind: str, bare: str, exchange: Exchange, evidence: str, sure: float
) -> ConversationLesson:
    title = _REMINDER.sub("", bare[0].upper() + bare[1:]).rstrip(".!")
    return ConversationLesson(kind, title[:160], title, exchange.number, evidence, sure, bare)


def _is_cause(sentence: str) -> bool:
    if not (_CAUSE.match(sentence) and _CODE.search(sentence)) or _NO_CAUSE.search(sentence):
        return False
    return not _ABOUT.match(_LEAD_OF_CAUSE.sub("", sentence))


def _fix(exchange: Exchange, after: Exchange | None) -> Iterator[ConversationLesson]:
    """The cause that the agent reported, if something failed, files changed and nobody objected."""
    failed = any(call.outcome == FAILED for call in exchange.tools)
    reported = not _NOT_TYPED.match(exchange.user) and _ASKS_FIX.search(exchange.user[:_TYPED])
    if not (exchange.written_paths and (failed or reported)):
        return
    if after is not None and _STILL.search(after.user):
        return
    last = [call for call in exchange.tools if call.outcome]
    if last and last[-1].outcome == FAILED:
        return
    report = _report(_FENCED.sub("\n", exchange.assistant))
    causes = [at for at, sentence in enumerate(report) if _is_cause(sentence)]
    if causes:
        paths = exchange.written_paths[:_MOST_PATHS]
        request = next(_sentences(text_typed_by_person(exchange.user)), "")
        sentences = report[causes[-1] : causes[-1] + _SENTENCES]
        content = "\n".join(sentences) + f"\nFixed in {', '.join(paths)}."
        content += f"\nIt was asked: {request}" if request else ""
        title = _LEAD_OF_CAUSE.sub("", sentences[0]).strip().rstrip(".:")
        evidence = "a cause that the agent named, with a fix that passed"
        yield ConversationLesson(
            FIX, title[:160], content, exchange.number, evidence, 0.55, sentences[0], paths
        )


def _report(prose: str) -> list[str]:
    """What an agent says at the end, after its last step; what a root cause follows is left out."""
    report: list[str] = []
    for sentence in _sentences(prose):
        if _GOES_ON.search(sentence):
            report = []
        elif report and _ROOT.match(sentence):
            report[-1] = sentence  # what stands before it is the symptom
        elif sentence[0] not in "#<|" and not sentence.endswith(":"):
            report.append(sentence)
    return report
