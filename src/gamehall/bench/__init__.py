"""What a move costs this server, beside what the same bytes cost without a game.

`make bench` runs all of these but the siege. Three compare servers under one and the same load
generator in another program; the bare servers are uvloop and little else. Others compare rules, and
what bots search with.

TTTP (`gamehall bench tttp`)

* echo: bare. One message read, 48 bytes written back to the sender.
* relay: bare. One message read, 48 bytes written to the sender and to its partner: the reads and
  writes of the game without the game. No door can cost less.
* unkept: `gamehall serve --data none` with a TTTP door. The same message is parsed, judged and
  played, and both players of the table get the board.
* door: the same, as halls are: everything is written down before anybody hears of it. What that
  adds stands below the table, and how long answers wait for it, as the hall itself has counted.

The load: each pair of connections has exactly one message under way. Red and Blue play the same
cat's game of 42 moves, ask for a fresh board (counted as a move too) and begin again. A wrong
server cannot look fast: one game is checked board by board beforehand, and whenever play stops,
every player must have got exactly the bytes due and last of all the right board, or there is no
figure. In a round all of them run, and the load goes from one to the next every 0.2 s, so that a
noisy machine is noisy for all of them alike; then the next round starts fresh servers.

A tournament (`gamehall bench tournament`)

* replay: bare. One message read, and the same lines written to the same players as at the door,
  each by a write of its own; they were worked out beforehand.
* door: `gamehall serve --once` with the door of document 001, where pairs play at the same time.

The load: bots, 40 by default, each of which plays three games against every other, as fast as it
is asked. A move is a placement or a turn. Every board, worker-id and result is compared with what
the moves make, by other code than the server's, and the tournament-result with what the bots have
seen; there is no figure if anything differs. In a round there is one tournament, all of which is
measured: it is interrupted every 0.2 s for a moment at the replay, while the bots owe answers.

Go (`gamehall bench go`)

* gamehall: positions as the server plays them, `after` for every move.
* sgfmill: its boards, copied for every move (values), or one that changes (in place).
* OpenSpiel: its states, the same two ways. It comes with the test tools only, and is left out, with
  a line that says so, where it is not installed.

The load: random games on 9 x 9 and 19 x 19, worked out beforehand, the same for all. They have no
passes, and end where nothing else is legal, or after two moves for each point. Whoever ends a game
with other stones than the others gets no figure. Then the legal moves are listed in the middle of
games, after three moves for every four points. In a round every engine plays every game, and after
each game it is the next one's turn. There are no servers here: this is CPU time of one program.

It is not all the same work. Gamehall's positions are values that know the whole game, and refuse
suicide and superko. A board of sgfmill refuses occupied points only; as values, suicide and simple
ko are looked for beside it. OpenSpiel is C++ that Python calls; it refuses simple ko if asked to,
and of superko it only takes note. The rows of values are the ones to compare, since a server keeps
the old position while it judges a move. `go_engines` says what each of them refuses.

Ascension (`gamehall bench ascension`)

* httptools: bare. A request is parsed, and the response is there already, head and all.
* aiohttp: bare. One coroutine, which gives a body that is there already. It comes with the test
  tools only, and is left out, with a line that says so, where it is not installed.
* door: `gamehall serve` with the door of document 004. Its game is brought to turn 40 by two
  clients; its state then is what the others were given to say.
* varied: the same door, but every request has another number among its headers. Whoever asks again
  in the same words is known by these, and nothing is parsed: that is what clients do which ask how
  the game stands, and what wrk does. This row is what it costs otherwise.

The load: wrk, which is Debian's, with 64 connections that stay open, in slices of a second; where
it is not installed, a line says so, and this part is left out. Every response must be as long as
the one that was prepared, and the state is compared before and after: else there is no figure.
Then random games, a seed for each: the legal moves are listed and one of them is played, to the
end. That is CPU time of one program, on one core.

Kernels (`gamehall bench kernels`): what bots search with, on one core, beside the same algorithm in
C, beside other packages, and in nodes a second; `kernels` says what each row is.

The arena (`gamehall bench arena`)

* bare: the same bots, made anew for every game, and the same rules, in as many programs; nothing
  else.
* arena: a whole run on this machine: limits, records, results kept in a database, standings.
* on Ray: the same as tasks of a Ray on this machine, where it is installed.

The load: Connect Four at random, which is over in a tenth of a millisecond, so that everything else
shows. CPU time of all programs together, and the time that passes times the cores.

Watching (`gamehall bench watching`)

Two players of TTTP at a human pace, with nobody who looks on, with 500 who watch their table at the
web door, and with one who never reads: how long they wait for an answer, and the ratio. Every
watcher must have seen the last picture.

The siege (`gamehall bench siege`)

Honest players at all five doors of a hall, about 50 pairs, play at a human pace, in places that
nobody can take from them: first in peace, then among 5,000 besiegers, then in peace again. What the
besiegers do is said in `siege_besieger`. For each phase and door: moves, how long an answer took,
and how many honest players were disturbed, which is to say dropped, refused, kept waiting for more
than 5 s (10 s for two moves) or told that they had lost by anything but play. It takes over a
minute, and both cores; the head of the table says how the hall was set.

How to read it:

* The ratios are the figure to compare, between machines and between days: CPU time per move, user
  and kernel, to that of a bare server in the same round, median over the rounds. The CPU times
  themselves wander with the machine, all of them together. Goal: the TTTP door costs at most twice
  the echo. The relay shows how much of that its second write takes before any game is played. Goal
  of Ascension: cheaper than aiohttp, and at most 1.5 times the bare httptools.
* Of Go the ratio is to gamehall: 2.00 costs twice as much. Moves per second are those of one core.
* At doors, moves and games per second depend on how many cores are free: the load generator needs
  about as much CPU as a bare server.
* "busy" is the share of one core that the server took: its CPU time by the time that passed. That
  is also the share of time that it spent outside the idle wait of its event loop, which uvloop does
  not tell: what does not wait for the network computes, on one thread. Where other programs want
  the cores too, the server waits for these as well, and then it was busier than this says.
* Memory is the growth of the server's resident memory per connection; the kernel's socket buffers
  are not in it. "idle" connections have sent nothing, "seated" ones have joined and wait.
  Goal: at most 8 KB per idle connection, and 10,000 of them held.

These are figures to look at: nothing here passes or fails on a time. Linux only (/proc).

    servers     bare         what bare servers have in common
                commands     how servers are started
                contest      what load generators have in common
                delays       how long answers wait, as a hall has counted it
                machine      servers as subprocesses, their CPU time and memory
                progress     what is going on, for people
                speed        rounds of several servers under load
                tables       the table of these
                visitors     blocking clients: connect, still connected?
    TTTP        catsgame     the game that is played, in bytes
                echo         the two bare servers
                joining      blocking clients take their seats
                memory       10,000 connections that wait
                tttp         the whole benchmark and its tables
                tttp_load    the load generator
    tournament  bot          a player, who also finds out whether the server is right
                quickbot     how it plays
                replay       the bare server
                tournament   the whole benchmark and its table
                tournament_load  the load generator
    Go          go           the whole benchmark and its tables
                go_engines   gamehall and sgfmill, and who else is there
                go_games     the random games
                go_open_spiel  OpenSpiel
    Ascension   ascension    the whole benchmark and its tables
                ascension_game    two clients bring a game to a turn
                ascension_random  random games
                bare_aiohttp, bare_http  the bare servers
                wrk          the load generator
    arena       arena        the whole benchmark
    watching    watching     the whole benchmark, and the watchers
    kernels     kernels      the whole benchmark
                kernels_contest, kernels_connect_four, kernels_go, kernels_santorini   its rows
                kernels_matches, ascension_bots, gnugo_match   how strong bots are
                kernels_book  the command that makes the opening book
    siege       siege        the whole benchmark
                siege_besieger, siege_hostile, siege_words  who besieges, the program, what they say
                siege_guest, siege_honest  who plays, and the program
                siege_hall, siege_programs  the hall under siege, and the programs at its doors
                siege_table, siege_tally   what is counted, and the table of it
"""
