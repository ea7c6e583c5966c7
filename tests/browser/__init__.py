"""The hall as people meet it: a real browser at the pages of a hall that runs as a program."""
