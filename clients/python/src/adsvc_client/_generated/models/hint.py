from typing import Literal

Hint = Literal["iban", "link", "mail", "messenger", "phone", "prepayment"] | str


def check_hint(value: str) -> Hint:
    """As it came: a service that is newer than this client may know more values."""
    return value
