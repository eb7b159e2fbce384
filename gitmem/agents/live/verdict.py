"""A verdict of `gitmem doctor --live` on one event of one agent."""

from gitmem.model.frozen import dataclass

# From a trial in a temporary repository; from the agent's own transcript.
SIMULATED, OBSERVED = "simulated", "observed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether one event of an agent (or ``mcp``, ``rules``, ``setup``) would reach its model.

    ``verdict`` is ok, note or problem; ``how`` is simulated or observed; ``message`` is the reason,
    ``hint`` what to do.
    """

    agent: str
    event: str
    verdict: str
    how: str
    message: str
    hint: str
