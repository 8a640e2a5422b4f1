from support.scene.api import Api


async def test_someone_who_registers_can_log_in(api: Api) -> None:
    person = await api.person("anna@example.com")
    assert (await person.get("/ads/me")).json() == {
        "count": 0,
        "countExact": True,
        "results": [],
        "next": None,
        "counts": {},
    }


async def test_an_ad_is_found_after_it_was_posted(api: Api) -> None:
    person = await api.person(firstName="Anna", lastName="Berg", phone="+49 30 1234567")
    ad = await person.post_ad()
    found = (await api.client.get("/ads")).json()
    assert found == {"count": 1, "countExact": True, "results": [ad], "next": None}
    detail = (await person.get(f"/ads/{ad['pk']}")).json()
    assert detail["email"] == person.username
