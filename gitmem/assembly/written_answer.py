"""The same answer in a model's words, where the user named an endpoint and they can be believed."""

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
    """Sentences, who wrote them (extract or the model), and what to know about it."""

    sentences: tuple[CitedSentence, ...]
    by: str
    notes: tuple[str, ...] = ()


def write(app: App, question: str, answer: CitedAnswer) -> Written:
    """The sentences of a model if it was asked and is believed, else those that were drawn.

    What is sent is what is cited, with secrets taken out, and off this machine only where a person
    agreed to that address in this project. A model is not asked where there is no answer: it would
    find one; nor where a verb knows it.
    """
    address = app.settings.text("ask.endpoint")
    if not address or not answer.known or answer.words:
        return Written(answer.sentences, f"gitmem {answer.by}" if answer.by else EXTRACT)
    # Imported here: who named no endpoint pays for no network.
    from gitmem.assembly import model_endpoint  # noqa: PLC0415
    from gitmem.maintenance import endpoint_consent  # noqa: PLC0415

    if why := endpoint_consent.refusal(app, address):
        return _drawn(answer, why)
    model = app.settings.text("ask.model")
    asked = redact(question).text
    excerpts = [redact(text).text for text in answer.excerpts]
    prompt = model_answer.prompt(asked, [source.cite for source in answer.sources], excerpts)
    endpoint = model_endpoint.Endpoint(address, model)
    try:
        reply = model_endpoint.ask(
            endpoint, model_answer.INSTRUCTIONS, prompt, timeout=model_endpoint.TIMEOUT
        )
    except Unavailable as error:
        return _drawn(answer, f"The endpoint was not used: {error.message}.")
    found = model_answer.accepted(redact(reply).text, asked, excerpts)
    if isinstance(found, str):
        return _drawn(answer, f"The answer of the endpoint was not used: {found}.")
    if not found:
        return _drawn(answer, "The model found no answer in what is cited here.")
    sentences = tuple(
        CitedSentence(one_line(one.text, len(one.text)), one.sources) for one in found
    )
    return Written(sentences, one_line(model or "the model of ask.endpoint", _SHOWN))


def _drawn(answer: CitedAnswer, note: str) -> Written:
    return Written(answer.sentences, EXTRACT, (note,))
