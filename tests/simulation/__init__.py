"""The whole hall in a simulated world: one thread, one seed, no sockets and no real time.

The hall is the real one: its doors, connections, ushers, timers, rooms and sessions. What is
simulated is everything around it: the time (clockwork.py), the network (wires.py), the disk
(disk.py), a program that crashes and is started again (house.py), and the clients (clients.py), who
are honest (honest.py) or not (hostile.py). How the doors are set, plans.py decides by lot. world.py
puts all together; chronicle.py keeps what happened.

What must be true is what users were promised: nothing is lost that was acknowledged (disk.py,
fingerprint.py), the time away is nobody's (clocks.py), whoever is to move has been asked and may
answer (prompts.py), each result counts once (results.py). That this finds what it should is seen
by bugs that are planted (planted.py).

What happens follows from the seed alone, so a seed that fails can be replayed:

    python -m tests.simulation --seed 17
"""
