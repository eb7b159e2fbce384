"""A verdict of `gitmem doctor --live` on one event of one agent."""

from gitmem.model.frozen import dataclass

# From a trial in a temporary repository; from the agent's own transcript.
SIMULATED, OBSERVED = "simulated", "observed"


@dataclass(frozen=True, slots=True)
class TextDeliveryVerdict:
    """Whether gitmem's text would reach an agent's model at one event of its session.

    ``event`` may be ``mcp``, ``rules`` or ``setup`` too. ``verdict`` is ok, note or problem;
    ``how`` is simulated (by a trial run) or observed (in a transcript); ``message`` is the reason,
    ``hint`` what to do.
    """

    agent: str
    event: str
    verdict: str
    how: str
    message: str
    hint: str
