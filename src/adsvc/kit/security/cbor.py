"""What authenticators send in CBOR (RFC 8949), checked before a decoder reads it.

A decoder makes objects of tags: tag 35 compiles a regular expression of any cost, tag 2 makes a
number of any length. CTAP2's canonical form (§8) has none of them, and one encoding of each value.
"""

# CTAP2 §8: "the maximum depth of nested CBOR structures" is four.
DEEPEST = 4

UNSIGNED, NEGATIVE, BYTES, TEXT, ARRAY, MAP = range(6)
FALSE, TRUE, NULL = range(0xF4, 0xF7)
# In authenticator data (Web Authentication, Level 3, §6.1): the flags, the counter's end, the
# length of the credential's id, and that id.
FLAGS, HEAD, ID_LENGTH, ID = 32, 37, slice(53, 55), 55
HAS_CREDENTIAL = 0x40

# RFC 8949 §3: shorter arguments are in the first byte; from 24 to 27, one to eight bytes follow.
SHORT, LONGEST = 24, 27


def require_plain(data: bytes) -> None:
    """`ValueError` unless it is a sequence of items of CTAP2's canonical form.

    So a decoder that writes items again finds each of them as long as it was. The order of members
    is not checked.
    """
    at = 0
    while at < len(data):
        at = _end_of_item(data, at, DEEPEST)


def require_plain_authenticator_data(data: bytes) -> None:
    """The same of what comes after the fixed part: the public key, if any, and extensions."""
    if len(data) < HEAD:
        raise ValueError("too short")
    has_credential = data[FLAGS] & HAS_CREDENTIAL
    require_plain(data[ID + int.from_bytes(data[ID_LENGTH]) if has_credential else HEAD :])


def _end_of_item(data: bytes, at: int, depth: int) -> int:
    if data[at] in {FALSE, TRUE, NULL}:
        return at + 1
    kind = data[at] >> 5
    if kind > MAP:
        raise ValueError("a tag, or a value that is not a whole number, a text or the like")
    value, at = _argument(data, at)
    if kind in {UNSIGNED, NEGATIVE}:
        return at
    if value > len(data) - at:
        raise ValueError("goes on beyond its end")
    if kind in {BYTES, TEXT}:
        return at + value
    if not depth:
        raise ValueError("too deep")
    for _ in range(value * 2 if kind == MAP else value):
        if at >= len(data):
            raise ValueError("goes on beyond its end")
        at = _end_of_item(data, at, depth - 1)
    return at


def _argument(data: bytes, at: int) -> tuple[int, int]:
    """The number that an item begins with, in its shortest form, and where it ends."""
    short = data[at] & 0x1F
    at += 1
    if short < SHORT:
        return short, at
    # 28 to 30 are not assigned, 31 is an item of indefinite length.
    if short > LONGEST:
        raise ValueError("of indefinite length")
    size = 1 << (short - SHORT)
    value = int.from_bytes(data[at : at + size])
    if len(data) < at + size or value < (SHORT if size == 1 else 1 << (4 * size)):
        raise ValueError("not in its shortest form")
    return value, at + size
