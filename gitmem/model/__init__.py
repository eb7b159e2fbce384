"""The nouns of gitmem: plain frozen values, no input or output."""
