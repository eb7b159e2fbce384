"""Reading git repositories: plain files directly, everything else by running git safely."""
