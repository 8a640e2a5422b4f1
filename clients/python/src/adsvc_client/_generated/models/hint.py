from typing import Literal, cast

Hint = Literal["iban", "link", "mail", "messenger", "phone", "prepayment"]


def check_hint(value: str) -> Hint:
    """As it came: a service that is newer than this client may know more values."""
    return cast(Hint, value)
