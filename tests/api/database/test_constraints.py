"""A violated constraint is reported as what it is."""

import pytest

from adsvc.errors import AdNotFoundError, UnauthenticatedError
from adsvc.kit.security.tokens import KnownCaller
from adsvc.services import comments
from conftest import ApiFactory
from support.scene.api import Api, ad_form


@pytest.mark.heavy
async def test_a_violation_of_an_unexpected_constraint_is_500(
    start_own_api: ApiFactory, caplog: pytest.LogCaptureFixture
) -> None:
    async with start_own_api() as api:
        person = await api.person()
        ad = await person.post_ad()
        for table, condition in (("ads", "price <> 13"), ("comments", "text <> 'no'")):
            await api.sql(f"ALTER TABLE {table} ADD CONSTRAINT unforeseen CHECK ({condition})")
        answers = [
            await person.post("/ads", files=ad_form(price=13)),
            await person.post(f"/ads/{ad['pk']}/comments", json={"text": "no"}),
        ]
        for answer in answers:
            assert answer.status_code == 500, answer.request.url
            assert answer.json()["type"] == "/problems#internal-error"
        assert caplog.text.count("CheckViolationError") >= len(answers)


async def test_a_refused_comment_says_whether_ad_or_author_is_gone(api: Api) -> None:
    person = await api.person()
    ad = await person.post_ad()
    for ad_id, author_id, expected in (
        (999, person.id, AdNotFoundError),
        (ad["pk"], 999, UnauthenticatedError),
    ):
        caller = KnownCaller(author_id, 1, expires_at=0, is_admin=False)
        with pytest.raises(expected):
            async with api.state.database.statement() as statement:
                await comments.create(statement, caller, ad_id, "Still there?")
