"""The only code that knows HTTP and FastAPI."""
