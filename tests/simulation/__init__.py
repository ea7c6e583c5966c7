"""The whole hall in a simulated world: one thread, one seed, no sockets and no real time.

The hall is the real one: its doors, connections, room host, clock, timers, rooms and sessions. What
is simulated is everything around it: the time (clockwork.py), the network (wires.py), the disk
(disk.py), a program that crashes, stalls and is started again (house.py), and the clients
(clients.py), who are honest (honest.py) or not (hostile.py). In half of the worlds the journal is
the real one, too, on a SQLite database, whose copies are damaged after a crash (database.py). How
the doors are set, plans.py draws from the seed. world.py puts all together; chronicle.py keeps what
happened.

What must be true is what users were promised: nothing is lost that was acknowledged, and nothing is
acknowledged that is not durable (disk.py, fingerprint.py); a damaged journal is never used
(database.py); time limits are the players' own time (clocks.py); whoever is to move has been asked
and may answer (prompts.py); each result counts once (results.py). Bugs that are planted
(planted.py) show that all this would be found.

What happens follows from the seed alone, so a seed that fails can be replayed:

    python -m tests.simulation --seed 17
"""
