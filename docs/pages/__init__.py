"""One module for each generated page: the program's own tables in, Markdown out."""
