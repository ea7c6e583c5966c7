"""Every message of every door, sent at every moment: the rows of the table, door by door.

A door is a `Scene`: its states, each with the way into it, its messages, each with what comes of
it, and how the game goes on afterwards. `tests/protocols/test_every_state_and_message.py` runs
every cell of the table. A new state is a row in `states`, a new message one in `messages`.
"""
