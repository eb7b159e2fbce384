"""The rules for what happened and what to report of it: timelines, orientations, suggestions."""
