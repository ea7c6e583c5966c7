"""Fuzzing of every session and framing.

A target (targets.py) reads bytes: a framing, the server's end of a protocol, alone or with its
room, or a client's end. An input is a whole conversation with it: bytes in pieces, and the messages
of others in between. Conversations come from the transcripts and from games between our own two
ends (corpus.py), and are mutated (mutation.py). An input follows from the seed, the target and its
number alone, so an input that fails can be replayed:

    python -m tests.fuzz --inputs 200000 --jobs 2
    python -m tests.fuzz --replay tttp-room --seed 1 --number 4711
    python -m tests.fuzz --atheris json --corpus DIR

checks.py contains what must be true of each input. campaign.py runs many inputs and counts them.
"""
