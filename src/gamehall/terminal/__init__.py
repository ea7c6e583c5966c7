"""A person who plays in a terminal: what is drawn there, and what is typed.

    person.py       takes notices, gives requests and what is to be shown
    commands.py     what a typed line means: a command, an answer, a move
    moves.py        moves as people type and read them
    player_view.py  what a person sees of a match
    wording.py      notices in words
    drawing.py      a position in colour
    line_editor.py  keys become lines; also the keyboard itself
    screen.py       the terminal that is drawn on
    stay.py         the driver: socket, keyboard and screen

Only `screen`, `stay` and the keyboard do input and output; the rest is pure.
"""
