"""Access to git: its plain files read directly, and one hardened way to run the binary."""
