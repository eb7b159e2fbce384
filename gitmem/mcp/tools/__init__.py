"""What agents are offered: tools, resources, prompts, and the form of their answers."""
