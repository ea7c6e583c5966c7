"""The states and messages of every door, for tests/protocols/test_every_state_and_message.py.

A `Scene` lists the states of a door, each with a function that enters it, and its messages, each
with its outcome by state.
"""
