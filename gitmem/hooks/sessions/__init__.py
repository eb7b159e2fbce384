"""What a host tells a hook of gitmem, and how it wants to be answered."""
