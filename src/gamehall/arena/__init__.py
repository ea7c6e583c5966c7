"""Bots play each other in bulk, without sockets: which is better, and how sure are we?

    conditions.py   what was asked for: everything that a run follows from, in writing
    openings.py     how matches begin: at random, or by a book
    match.py        one match of two bots, under limits, with the blame if somebody fails
    bot_program.py  a bot as a program of its own; guarded.py is its other end, bot_messages.py what
                    they say, mortal.py how it ends with us
    match_runner.py what plays encounters: the game, the bots, the openings, made ready once
    chunk.py        what a worker is given at a time, and what comes back
    crew.py         who plays them: so many workers, wherever they are
    local_workers.py the cores of this machine; ray_workers.py: a Ray cluster, where
                    bot_files.py has sent the files of bots
    scores.py       what they came to, summed up
    runner.py       the run: what the format wants next, to the crew; what comes back, kept at once
    summary.py      how it stands, for people and programs; live.py, table.py, page.py show it
    replays.py      which matches the page shows with all their positions

A run follows from its conditions and its seed alone, whoever plays how many matches at a time, and
however often it is interrupted: every encounter has a number, and from that number follow its
opening and the seeds of its bots. What was played is kept in the hall's database, an encounter
with its records in one transaction; the standings are worked out from that and kept nowhere.
"""
