import pytest

from adsvc.api.caching import credential_cache
from adsvc.api.caching.credential_cache import CAPACITY, CredentialCache
from clocks import Clock

PASSWORD = "correct horse battery"


def test_memory_is_bounded_and_the_oldest_go_first() -> None:
    memory = CredentialCache()
    for number in range(CAPACITY + 2):
        memory.remember("anna", str(number), user_id=number, password_hash="hash")
    assert len(memory._entries) == CAPACITY
    assert memory.recall("anna", "1") is None
    assert memory.recall("anna", "2") is not None


def test_what_has_expired_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock.of(credential_cache, monkeypatch)
    memory = CredentialCache()
    for name in ("anna", "ben"):
        memory.remember(name, PASSWORD, user_id=1, password_hash="hash")
    clock.now += 60
    memory.remember("clara", PASSWORD, user_id=2, password_hash="hash")
    assert len(memory._entries) == 1


def test_no_two_processes_keep_the_same_digest() -> None:
    kept = []
    for _ in range(2):
        memory = CredentialCache()
        memory.remember("anna", PASSWORD, user_id=1, password_hash="hash")
        kept += list(memory._entries)
    assert kept[0] != kept[1]
