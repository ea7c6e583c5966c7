"""Play many matches between bots, without a server, and estimate which bot is stronger.

    config.py        the configuration of a run
    openings.py      how matches begin: with random moves, or from an opening book
    match.py         one match of two bots under limits; a bot that fails loses
    match_runner.py  plays the matches of an encounter and makes their records
    workers.py       worker processes on this computer, which play chunks of encounters
    ray_workers.py   the same as tasks of a Ray cluster
    runner.py        the run: hands out the encounters of the format, stores and counts the results
    summary.py       the standings as data
    table.py         the standings in a terminal
    page.py          the standings as an HTML page

The results of a run depend on its configuration and seed alone, not on the number of workers or on
interruptions: the opening and the seeds of the bots follow from the number of the encounter. An
encounter and its records are stored in one transaction. Standings are not stored but computed from
the stored matches.
"""
