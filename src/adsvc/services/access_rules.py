"""Access rules: a network is refused for a time, or it or an account has higher rate limits.

They are few and in the memory of each process. Lists of thousands of addresses belong to a
firewall.
"""

import re
import time
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network
from typing import Any

from adsvc.enums import AuditKind
from adsvc.errors import TooManyError
from adsvc.kit import faults
from adsvc.kit.addresses import address_from, unmapped_network
from adsvc.kit.bulkheads.buckets import DAY
from adsvc.kit.db.database import Transaction
from adsvc.kit.faults import Fault
from adsvc.repositories.operation import server as server_rows
from adsvc.schemas.console import AccessRule, ChangeAccessRule
from adsvc.services import audit

# Factors with a meaning of their own.
REFUSED, NO_RULE = 0, 1
MOST_RULES = 500
ACCOUNT = re.compile(r"user:([1-9][0-9]{0,17})")
# By the version of the address: a shorter prefix is a typing error.
SHORTEST_PREFIXES = {4: 8, 6: 16}


def _parsed(subject: str) -> IPv4Network | IPv6Network | int | None:
    """A network, or the id of an account; None if it is neither."""
    if account := ACCOUNT.fullmatch(subject):
        return int(account[1])
    try:
        network = unmapped_network(subject)
    except ValueError:
        return None
    return network if network.prefixlen >= SHORTEST_PREFIXES[network.version] else None


def fault_of(subject: str, factor: int, address: str) -> Fault | None:
    """What is wrong with a rule that a client at this address sends."""
    found = _parsed(subject)
    if found is None:
        return faults.wrong_format(
            "must be an address, a network of at least 8 bits (IPv6: 16) without bits of a host, "
            "or user: and the id of an account"
        ).at("/subject")
    if factor != REFUSED:
        return None
    if isinstance(found, int):
        return faults.inconsistent("must not be 0 for an account: suspend it instead").at("/factor")
    if (own := address_from(address)) is not None and own in found:
        return faults.inconsistent("must not refuse the address of the request").at("/subject")
    return None


class AccessRules:
    """Those in effect at one moment."""

    def __init__(self, rules: Sequence[AccessRule] = ()) -> None:
        self.rules = rules
        parsed = [(_parsed(rule.subject), rule.factor) for rule in rules]
        self._accounts: dict[object, int] = {
            each: factor for each, factor in parsed if isinstance(each, int)
        }
        networks = [
            (each, factor) for each, factor in parsed if isinstance(each, IPv4Network | IPv6Network)
        ]
        self._networks = sorted(networks, key=lambda found: -found[0].prefixlen)
        self.can_refuse = any(factor == REFUSED for _, factor in networks)
        # The factor of the narrowest network with the address.
        self.of_address = lru_cache(4096)(self._of_address)

    def of_account(self, user_id: object) -> int:
        return self._accounts.get(user_id, NO_RULE)

    def _of_address(self, text: str) -> int:
        address = address_from(text) if self._networks else None
        if address is None:
            return NO_RULE
        return next((factor for network, factor in self._networks if address in network), NO_RULE)

    def refuse(self, address: str) -> bool:
        return self.can_refuse and self.of_address(address) == REFUSED


NO_RULES = AccessRules()
# Those that apply to the current request.
current: ContextVar[AccessRules] = ContextVar("access_rules", default=NO_RULES)


def read(members: Mapping[str, Any], before: AccessRules) -> AccessRules:
    """The stored rules that are not over; `before` if they are the same."""
    now = time.time() * 1000
    rules = [AccessRule.model_validate(each) for each in members.values()]
    rules = sorted((rule for rule in rules if rule.until > now), key=lambda rule: rule.subject)
    return before if rules == before.rules else AccessRules(rules)


async def change(transaction: Transaction, sent: ChangeAccessRule, *, actor: int | str) -> None:
    """Adds a rule, replaces that of the same subject, or removes it. The rule is valid."""
    found = _parsed(sent.subject)
    subject = sent.subject if isinstance(found, int) else str(found)
    until = int((time.time() + sent.days * DAY) * 1000)
    rule = AccessRule(subject=subject, factor=sent.factor, until=until, note=sent.note)
    members = None if sent.factor == NO_RULE else rule.model_dump_json()
    if await server_rows.set_access_rule(transaction, subject, members) > MOST_RULES:
        raise TooManyError(MOST_RULES, "access rules")
    kind = AuditKind.ACCESS_RULE_CHANGED
    audit.record(transaction, kind, actor=actor, target=f"{subject} {sent.factor}")
