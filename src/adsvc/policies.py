"""Who may do what: pure predicates over rows."""

from typing import Protocol

from adsvc.models import Role


class Actor(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def role(self) -> Role: ...


class Authored(Protocol):
    @property
    def author_id(self) -> int: ...


def is_author_or_admin(actor: Actor, resource: Authored) -> bool:
    return actor.role is Role.ADMIN or actor.id == resource.author_id
