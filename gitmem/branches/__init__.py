"""Finding the memories that belong to the checked-out branch and to the current sub-project."""
