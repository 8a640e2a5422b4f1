"""Looks at what an operator may have got wrong, and says what to do.

A check is one function, from what it may look at to what it found, and a row of `CHECKS` in
`examination`.
"""
