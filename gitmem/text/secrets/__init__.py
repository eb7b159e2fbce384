"""What a secret looks like: the rules by which ``gitmem.text.redact`` finds secrets."""
