"""A person's place at a door: what is drawn in the terminal, and what is typed there.

What decides something is pure: `person.py` hears notices and typed lines and gives requests and
things to show; `drawing.py`, `moves.py` and `editor.py` are functions of letters. `screen.py`,
`keyboard.py` and `stay.py` are the shell around it.
"""
