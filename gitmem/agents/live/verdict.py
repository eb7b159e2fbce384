"""What `gitmem doctor --live` says of one event of one agent."""

from gitmem.model.frozen import dataclass

# By trying it out in a place made for it; by the agent's own transcript.
SIMULATED, OBSERVED = "simulated", "observed"


@dataclass(frozen=True, slots=True)
class Verdict:
    """On one event of one agent (or ``mcp``, ``rules``, ``setup``): would it reach the model.

    ``verdict`` is ok, note or problem; ``how`` simulated or observed; ``message`` the reason,
    ``hint`` what to do.
    """

    agent: str
    event: str
    verdict: str
    how: str
    message: str
    hint: str
