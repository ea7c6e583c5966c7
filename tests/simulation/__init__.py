"""A simulation of the whole server: one thread, one seed, no sockets and no real time.

The server is the real one: its doors, connections, room host, clock, timers, rooms and sessions.
Everything around it is simulated: time (scheduler.py), the network (network.py), the disk
(disk.py), a process that crashes, stalls and is restarted (server_process.py), and clients
(clients.py), who are honest (honest_client.py) or hostile (hostile_client.py). In half of the
worlds the journal is the real one, too, on a SQLite database, whose copies are damaged after a
crash (database.py). plans.py draws the settings of the doors from the seed. world.py runs one
world; event_log.py records what happens.

The checks are the promises to users: nothing is lost that was acknowledged, and nothing is
acknowledged that is not durable (disk.py, fingerprint.py); a damaged journal is never used
(database.py); time limits are the players' own time (clocks.py); a player who is to move has been
prompted and may answer (prompts.py); each result counts once (results.py); a seat belongs to the
player who took it (identities.py). Bugs that are planted on purpose (planted_bugs.py) show that the
checks would find them.

Everything follows from the seed, so a failing seed can be replayed:

    python -m tests.simulation --seed 17
"""
