"""Writing gitmem's configuration into the files of hosts, and removing it byte for byte."""
