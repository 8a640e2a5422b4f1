"""Prometheus metrics of all processes together, on a listener of their own.

It is run by the first process, in a thread with an event loop of its own. A worker that hangs, a
database that is away and a client that is slow do not keep it from answering.
"""
