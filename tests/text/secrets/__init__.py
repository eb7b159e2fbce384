"""Rules by which secrets are found."""
