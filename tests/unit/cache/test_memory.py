from collections import OrderedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adsvc.kit.invalidation import REMEMBERED_CHANGES, LruCache, SubjectCache


def memory(capacity: int) -> LruCache[str, str]:
    return LruCache(capacity, len)


def test_what_is_kept_is_found_until_it_is_dropped() -> None:
    kept = memory(10)
    assert kept.get("a") is None
    kept.keep("a", "one")
    kept.keep("b", "two")
    assert (kept.get("a"), kept.get("b")) == ("one", "two")
    kept.drop("a")
    kept.drop("a")
    assert (kept.get("a"), kept.get("b")) == (None, "two")
    kept.clear()
    assert kept.get("b") is None


def test_the_longest_unused_goes_first() -> None:
    kept = memory(6)
    for key in ("a", "b", "c"):
        kept.keep(key, "12")
    kept.get("a")
    kept.keep("d", "12")
    assert [kept.get(key) for key in "abcd"] == ["12", None, "12", "12"]
    kept.keep("e", "1234")
    assert [kept.get(key) for key in "acde"] == [None, None, "12", "1234"]


@pytest.mark.parametrize("capacity", [0, 1, 3])
def test_what_is_larger_than_all_may_be_is_not_kept(capacity: int) -> None:
    kept = memory(capacity)
    kept.keep("a", "1" * capacity)
    kept.keep("a", "1" * (capacity + 1))
    assert kept.get("a") is None
    assert kept.size == 0


def test_to_peek_is_no_use_and_the_oldest_go_first() -> None:
    kept = memory(6)
    for key in ("a1", "a2", "b1"):
        kept.keep(key, key)
    assert kept.peek("a1") == "a1"
    kept.drop_first_while(lambda value: value != "a2")
    assert [kept.peek(key) for key in ("a1", "a2", "b1")] == [None, "a2", "b1"]
    kept.drop_first_while(bool)
    assert kept.size == 0


actions = st.lists(
    st.tuples(st.sampled_from(("keep", "get", "drop")), st.sampled_from("abcd"), st.integers(0, 9)),
    max_size=60,
)


@given(capacity=st.integers(0, 20), steps=actions)
@pytest.mark.heavy
def test_it_is_a_list_of_the_last_used_that_fit(
    capacity: int, steps: list[tuple[str, str, int]]
) -> None:
    kept: LruCache[str, str] = memory(capacity)
    model: OrderedDict[str, str] = OrderedDict()
    for action, key, size in steps:
        if action == "get":
            assert kept.get(key) == model.get(key)
            if key in model:
                model.move_to_end(key)
            continue
        model.pop(key, None)
        if action == "drop":
            kept.drop(key)
            continue
        kept.keep(key, "v" * size)
        if size <= capacity:
            model[key] = "v" * size
        while sum(map(len, model.values())) > capacity:
            model.popitem(last=False)
        assert kept.size == sum(map(len, model.values())) <= capacity
    assert kept.items() == list(model.items())


subjects = st.frozensets(st.integers(0, 5), max_size=3)
acts = st.lists(
    st.tuples(
        st.sampled_from(("keep", "drop", "change", "clear")), st.sampled_from("abcd"), subjects
    ),
    max_size=60,
)


@given(capacity=st.integers(0, 6), steps=acts)
@pytest.mark.heavy
def test_values_are_dropped_by_their_subjects(
    capacity: int, steps: list[tuple[str, str, frozenset[int]]]
) -> None:
    kept: SubjectCache[str, str] = SubjectCache(capacity, len)
    about: dict[str, frozenset[int]] = {}
    for action, key, those in steps:
        if action == "keep":
            kept.keep_about(key, "v" * len(those), tuple(those))
            about[key] = those
        elif action == "change":
            stays = {name for name, _ in kept.items() if not about[name] & those}
            kept.drop_about(those)
            assert {name for name, _ in kept.items()} == stays
        elif action == "drop":
            kept.drop(key)
        else:
            kept.clear()
        left = {name: about[name] for name, _ in kept.items()}
        # The index has what is kept and nothing else, also of what had no room.
        assert {subject: set(kept.keys_about(subject)) for subject in kept.subjects} == {
            subject: {name for name in left if subject in left[name]}
            for subject in frozenset[int]().union(*left.values())
        }


def test_a_value_is_current_until_one_of_its_subjects_changes() -> None:
    kept: SubjectCache[str, str] = SubjectCache(10, len)
    before = kept.changes
    kept.drop_about(frozenset({1, 2}))
    assert kept.is_current((3, 4), before)
    assert not kept.is_current((2, 3), before)
    assert kept.is_current((2, 3), kept.changes)
    kept.clear()
    assert not kept.is_current((), before)
    before = kept.changes
    for _ in range(REMEMBERED_CHANGES + 1):
        assert kept.is_current((3,), before)
        kept.drop_about(frozenset({1}))
    assert not kept.is_current((3,), before)


def test_a_value_is_kept_unless_it_or_a_subject_has_changed_since_it_was_begun() -> None:
    kept: SubjectCache[str, str] = SubjectCache(10, len)
    begun = kept.changes
    for changed in ("a", 1, 2):
        kept.forget(changed)
    kept.keep_since(begun, "a", "x")
    kept.keep_since(begun, "b", "x", (3, 1))
    kept.keep_since(begun, "c", "x", (3, 4))
    assert dict(kept.items()) == {"c": "x"}
    kept.keep_since(kept.changes, "a", "x", (1,))
    kept.forget("a")
    assert dict(kept.items()) == {"c": "x"}
    begun = kept.changes
    kept.forget("")
    kept.keep_since(begun, "d", "x")
    assert not kept.items()
