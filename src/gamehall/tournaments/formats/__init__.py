"""Who meets whom, and when it is over: a format for each way to find out who is best.

A format is told what encounters came to and says which are next. It asks for no time and draws no
lot: the same results, in whatever order they come in, always lead to the same encounters and the
same end. So whoever is interrupted can tell a fresh one what was played, and go on.
"""
