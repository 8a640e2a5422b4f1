"""Servers that speak S3: one in memory, and versitygw on a directory."""
