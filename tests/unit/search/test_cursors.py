import pytest
from hypothesis import given
from hypothesis import strategies as st

from adsvc.api.input.parameters import CURSOR_MAX_LENGTH, Cursors
from adsvc.errors import CursorExpiredError, InvalidRequestError
from adsvc.kit.faults import FaultCode
from adsvc.repositories.ads.criteria import KeyValue

cursors = Cursors("0123456789abcdefghijklmnopqrstuvwxyz")
# Of all Unicode, which takes seconds to load, these are what JSON and base64 treat differently.
CHARACTERS = 'ads/19:,[]{}"\\\0\n -_=+%éя漢\u2028\uffff😀'
values = (
    st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(CHARACTERS, max_size=50)
)
keys = st.lists(values, min_size=1, max_size=3)


@pytest.mark.heavy
@given(listing=st.text(CHARACTERS, max_size=30), key=keys)
def test_a_cursor_gives_back_the_key_it_was_made_of(listing: str, key: list[KeyValue]) -> None:
    assert cursors.decode(listing, cursors.encode(listing, key)) == key


@pytest.mark.heavy
@given(listing=st.text(CHARACTERS, max_size=30), cursor=st.text(CHARACTERS, max_size=600))
def test_no_text_made_up_is_a_cursor(listing: str, cursor: str) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        cursors.decode(listing, cursor)
    (fault,) = refused.value.faults
    assert (fault.code, fault.parameter) == (FaultCode.UNKNOWN, "cursor")


@pytest.mark.heavy
@given(position=st.integers(0, 10_000), bit=st.integers(0, 5))
def test_no_bit_of_a_cursor_can_be_changed(position: int, bit: int) -> None:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    # Fifteen bytes, so that no bit of the text goes unused.
    made = cursors.encode("ads", [100])
    assert len(made) == 20
    at = position % len(made)
    other = alphabet[alphabet.index(made[at]) ^ (1 << bit)]
    with pytest.raises((InvalidRequestError, CursorExpiredError)):
        cursors.decode("ads", made[:at] + other + made[at + 1 :])


def test_a_cursor_belongs_to_one_listing_and_one_secret() -> None:
    cursor = cursors.encode("ads/1", [7])
    assert cursors.decode("ads/1", cursor) == [7]
    for listing in ("ads", "ads/2", "ads/1\0", "", "ads/11"):
        with pytest.raises(CursorExpiredError):
            cursors.decode(listing, cursor)
    with pytest.raises(CursorExpiredError):
        Cursors("another secret of the same service").decode("ads/1", cursor)
    assert Cursors("0123456789abcdefghijklmnopqrstuvwxyz").decode("ads/1", cursor) == [7]


def test_what_is_left_of_a_cursor_is_one_if_it_has_a_key() -> None:
    made = cursors.encode("ads", [100])
    with pytest.raises(CursorExpiredError):
        cursors.decode("ads", made[:-1])
    for length in (0, 1, 15, 16):
        with pytest.raises(InvalidRequestError):
            cursors.decode("ads", made[:length])


def test_a_longer_text_than_any_cursor_is_none() -> None:
    longest = cursors.encode("ads", ["a" * 1522])
    assert len(longest) == CURSOR_MAX_LENGTH
    with pytest.raises(CursorExpiredError):
        cursors.decode("other", longest)
    with pytest.raises(InvalidRequestError):
        cursors.decode("ads", longest + "A")


def test_a_listing_s_name_cannot_swallow_the_key() -> None:
    """The name and the key are signed together; a boundary keeps them apart."""
    assert cursors.encode("ads", [100])[:16] != cursors.encode("ads\0[", [1])[:16]


def test_a_cursor_fits_into_its_limit_and_into_an_address() -> None:
    cursor = cursors.encode("ads/9223372036854775807", [1, 2**63 - 1, 2**63 - 1])
    assert len(cursor) < CURSOR_MAX_LENGTH
    assert cursor.isascii()
    assert cursor.replace("-", "").replace("_", "").isalnum()
