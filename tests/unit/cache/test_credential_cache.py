from adsvc.kit.security.tokens import CREDENTIALS_CAPACITY, CredentialCache
from support.trouble.clocks import Clock

PASSWORD = "correct horse battery"


def test_the_cache_is_bounded_and_the_oldest_go_first() -> None:
    cache = CredentialCache()
    for number in range(CREDENTIALS_CAPACITY + 2):
        cache.keep("anna", str(number), user_id=number, password_hash="hash")
    assert len(cache) == CREDENTIALS_CAPACITY
    assert cache.get("anna", "1") is None
    assert cache.get("anna", "2") is not None


def test_what_has_expired_is_not_kept() -> None:
    clock = Clock()
    cache = CredentialCache(clock.monotonic)
    for name in ("anna", "ben"):
        cache.keep(name, PASSWORD, user_id=1, password_hash="hash")
    clock.now += 60
    cache.keep("clara", PASSWORD, user_id=2, password_hash="hash")
    assert len(cache) == 1


def test_no_two_processes_keep_the_same_digest() -> None:
    kept = []
    for _ in range(2):
        cache = CredentialCache()
        cache.keep("anna", PASSWORD, user_id=1, password_hash="hash")
        kept += list(cache._verified._values)
    assert kept[0] != kept[1]
