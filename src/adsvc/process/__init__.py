"""The processes of one service: workers, their sockets, decoders, and how all of them end."""
