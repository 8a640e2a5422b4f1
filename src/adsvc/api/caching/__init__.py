"""What a process keeps of responses, tokens and credentials, and when it is void."""
