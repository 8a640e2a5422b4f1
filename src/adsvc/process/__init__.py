"""The processes of one service: workers, and their end with their parent."""
