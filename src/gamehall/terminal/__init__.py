"""A person who plays in a terminal: what is drawn there, and what is typed.

    person.py       takes notices, gives requests and what is to be shown
    commands.py     what a typed line means: a command, an answer, a move
    moves.py        moves as people type and read them
    player_view.py  what a person sees of a match
    wording.py      notices in words
    drawing.py      a position in colour
    screen.py       where text is shown and lines are read: a pipe or a simple terminal
    live_screen.py  the same with a line editor
    stay.py         the driver: socket and screen

Only the screens and `stay` do input and output; the rest is pure.
"""
