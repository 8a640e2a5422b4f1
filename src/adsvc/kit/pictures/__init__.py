"""Uploaded pictures: parsed, decoded and encoded again, in child processes."""
