"""The terminal of `gamehall play`: it shows a `players.Person` and reads what is typed.

`controller.py` asks the person for the TCP client. `screen.py` and `live_screen.py` do input and
output, with and without a line editor; `drawing.py` colours positions.
"""
