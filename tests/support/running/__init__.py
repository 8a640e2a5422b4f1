"""The service, run in this process, in others and from the command line."""
