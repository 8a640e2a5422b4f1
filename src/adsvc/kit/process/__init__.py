"""The processes of a service: servers, their sockets, children, and how they end."""
