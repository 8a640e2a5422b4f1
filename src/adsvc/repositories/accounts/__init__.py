"""SQL of accounts: sessions, callers, rate limits, idempotency keys, tokens of mails."""
