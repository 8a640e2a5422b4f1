"""The data a test begins with, and comparisons with what is left."""
