"""What there should be in a service, as far as its users know."""

from dataclasses import dataclass, field
from typing import Any

from support.scene.api import PASSWORD

# None is the beginning of another, nor has its stem.
WORDS = ("walnut", "violin", "copper", "lantern")


@dataclass
class Account:
    id: int
    username: str
    password: str = PASSWORD
    admin: bool = False
    # None after logging out.
    token: str | None = None
    refresh: str | None = None
    # Tokens that must open nothing any more.
    ended: list[str] = field(default_factory=list)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def forget(self) -> None:
        if self.token:
            self.ended.append(self.token)
        self.token = self.refresh = None


@dataclass
class Comment:
    author: Account
    text: str


@dataclass
class Ad:
    author: Account
    properties: dict[str, Any]
    path: str
    image: bytes = b""
    comments: dict[int, Comment] = field(default_factory=dict)

    def matches(self, word: str) -> bool:
        return word in f"{self.properties['title']} {self.properties['description']}".split()
