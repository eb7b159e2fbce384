"""The answer in a model's words, if the user set an endpoint and the reply can be verified."""

from gitmem.app import App
from gitmem.assembly.cited_answer import CitedAnswer, CitedSentence
from gitmem.errors import Unavailable
from gitmem.model.frozen import dataclass
from gitmem.search import model_answer
from gitmem.text.fence import one_line
from gitmem.text.redact import redact

EXTRACT = "extract"
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Written:
    """Sentences, their author (extract, a verb or the model), and notes on why."""

    sentences: tuple[CitedSentence, ...]
    by: str
    notes: tuple[str, ...] = ()


def write(app: App, question: str, answer: CitedAnswer) -> Written:
    """The sentences of a model if its reply is accepted, else the quoted ones.

    Only the cited lines are sent, with secrets removed, and to another machine only if a person
    agreed to that address in this project. No model is asked if there is no answer (it would invent
    one) or if a verb knows it.
    """
    address = app.settings.text("ask.endpoint")
    if not address or not answer.known or answer.words:
        return Written(answer.sentences, f"gitmem {answer.by}" if answer.by else EXTRACT)
    # Imported here: without an endpoint no network code is loaded.
    from gitmem.assembly import model_endpoint  # noqa: PLC0415
    from gitmem.maintenance import endpoint_consent  # noqa: PLC0415

    if why := endpoint_consent.refusal(app, address):
        return _drawn(answer, why)
    model = app.settings.text("ask.model")
    query = redact(question).text
    excerpts = [redact(text).text for text in answer.excerpts]
    prompt = model_answer.prompt(query, [source.cite for source in answer.sources], excerpts)
    endpoint = model_endpoint.Endpoint(address, model)
    try:
        reply = model_endpoint.ask(
            endpoint, model_answer.INSTRUCTIONS, prompt, timeout=model_endpoint.TIMEOUT
        )
    except Unavailable as error:
        return _drawn(answer, f"The endpoint was not used: {error.message}.")
    accepted = model_answer.accepted(redact(reply).text, query, excerpts)
    if isinstance(accepted, str):
        return _drawn(answer, f"The answer of the endpoint was not used: {accepted}.")
    if not accepted:
        return _drawn(answer, "The model found no answer in what is cited here.")
    sentences = tuple(
        CitedSentence(one_line(sentence.text, len(sentence.text)), sentence.sources)
        for sentence in accepted
    )
    return Written(sentences, one_line(model or "the model of ask.endpoint", _SHOWN))


def _drawn(answer: CitedAnswer, note: str) -> Written:
    return Written(answer.sentences, EXTRACT, (note,))
