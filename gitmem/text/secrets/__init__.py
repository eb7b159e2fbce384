"""The rules by which ``gitmem.text.redact`` finds secrets."""
