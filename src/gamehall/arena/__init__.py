"""Bots play each other in bulk, without sockets: which is better, and how sure is that?

    config.py        what was asked for: everything that a run follows from
    openings.py      how matches begin: at random, or by a book
    match.py         one match of two bots, under limits, with the blame if a bot fails
    match_runner.py  plays the matches of an encounter, and makes their records
    workers.py       processes that play chunks of encounters on the cores of this machine
    ray_workers.py   the same as tasks of a Ray cluster, with the files of bots
    runner.py        the run: gives the workers what the format wants, stores and counts the results
    summary.py       the standings as data, for people and programs
    table.py         the standings in a terminal
    page.py          the standings as a page of HTML

A run follows from its config and its seed alone, whatever plays how many matches at a time, and
however often it is interrupted: every encounter has a number, and from that number follow its
opening and the seeds of its bots. Matches are stored in the database, an encounter with its records
in one transaction; the standings are computed from them and stored nowhere.
"""
