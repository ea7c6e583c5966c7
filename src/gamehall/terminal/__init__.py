"""The terminal of `gamehall play`: it shows a `players.Person` and reads what is typed.

`front.py` is the person's front for the TCP client. `screen.py` and `live_screen.py` do input and
output, with and without a line editor; `drawing.py` colours positions.
"""
