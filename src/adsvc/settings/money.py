"""Amounts of money: integers in the smallest unit in which a site has prices."""

from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple


class Money(NamedTuple):
    """A currency (ISO 4217), and how many digits of an amount are behind the decimal mark."""

    currency: str
    decimals: int = 0

    def number(self, amount: int) -> float:
        """In whole units, as programs read it."""
        return amount / 10**self.decimals if self.decimals else amount

    def line(self, amount: int) -> str:
        """Without words or marks of a language: `12.50 CHF`."""
        return f"{Decimal(amount).scaleb(-self.decimals)} {self.currency}"

    def text(self, amount: int, language: str) -> str:
        """As the language writes it (Unicode CLDR)."""
        return _text(self, amount, language)


# A page has dozens of prices, of which others have the same. One takes 10 to 50 µs.
@lru_cache(maxsize=4096)
def _text(money: Money, amount: int, language: str) -> str:
    # Takes memory, and not every process writes prices.
    from babel import Locale  # noqa: PLC0415
    from babel.numbers import parse_pattern  # noqa: PLC0415

    locale = Locale.parse(language)
    pattern = parse_pattern(locale.currency_formats["standard"].pattern)
    pattern.frac_prec = (money.decimals, money.decimals)
    number = Decimal(amount).scaleb(-money.decimals)
    return str(pattern.apply(number, locale, currency=money.currency, currency_digits=False))
