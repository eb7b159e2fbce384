"""What gitmem knows of git: plain files read by hand, and one hardened way to run the binary."""
