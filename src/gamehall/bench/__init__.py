"""What a move costs this server, beside what the same bytes cost without a game.

`make bench` compares three servers under one and the same load generator in another program:

* echo: bare uvloop. One message read, 48 bytes written back to the sender.
* relay: bare uvloop. One message read, 48 bytes written to the sender and to its partner: the
  reads and writes of the game without the game. No door can cost less.
* door: `gamehall serve` with a TTTP door. The same message is parsed, judged and played, and both
  players of the table get the board.

The load: each pair of connections has exactly one message under way. Red and Blue play the same
cat's game of 42 moves, ask for a fresh board (counted as a move too) and begin again. A wrong
server cannot look fast: one game is checked board by board beforehand, and whenever play stops,
every player must have got exactly the bytes due and last of all the right board, or there is no
figure.

In a round all three run, and the load goes from one to the next every 0.2 s, so that a noisy
machine is noisy for all of them alike; then the next round starts fresh servers.

How to read it:

* The ratios are the figure to compare, between machines and between days: CPU time per move, user
  and kernel, to that of the echo or the relay in the same round, median over the rounds. The CPU
  times themselves wander with the machine, all three together. Goal: the door costs at most twice
  the echo. The relay shows how much of that its second write takes before any game is played.
* Moves per second depend on how many cores are free: the load generator needs about as much CPU as
  a bare server. "busy" is the share of one core that the server took.
* Memory is the growth of the server's resident memory per connection; the kernel's socket buffers
  are not in it. "idle" connections have sent nothing, "seated" ones have joined and wait.
  Goal: at most 8 KB per idle connection, and 10,000 of them held.

These are figures to look at: nothing here passes or fails on a time. Linux only (/proc).

    catsgame  the game that is played, in bytes
    echo      the two bare servers
    load      the load generator
    machine   servers as subprocesses, their CPU time and memory
    memory    10,000 connections that wait
    speed     rounds of echo, relay and door
    tttp      the whole benchmark and its tables
    visitors  blocking clients: connect, join, still connected?
"""
