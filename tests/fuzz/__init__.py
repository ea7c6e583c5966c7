"""Bytes of every kind, given to every session and to the framings below them.

A target (targets.py) is something that reads bytes: a framing, the house's end of a protocol alone
or before its real room, or a client's end. An input is one whole conversation with it, with bytes
in any number of pieces and with what the others say in between. Conversations come from the
transcripts and from games between our own two ends (corpus.py), and are spoilt in every way
(mutation.py). Each input follows from the seed, the target and its number alone, so an input that
fails can be replayed:

    python -m tests.fuzz --inputs 200000 --jobs 2
    python -m tests.fuzz --replay tttp-room --seed 1 --number 4711
    python -m tests.fuzz --atheris json --corpus DIR

What must be true of each input is in checks.py. campaign.py runs many and counts them.
"""
