"""Row 6 of docs/reliability.md: malformed multipart bodies."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.pictures import samples as pictures
from support.scene.api import PROPERTIES, Api, Person, multipart, part
from support.scene.snapshots import snapshot

JSON = json.dumps(PROPERTIES).encode()
IMAGE = part("image", pictures.jpeg(), filename="photo.jpg")
TEXT = part("properties", JSON)
GOOD = multipart(TEXT, IMAGE)
CONTENT: bytes = GOOD["content"]
END = b"\r\n--frontier--\r\n"


def with_type(content_type: str, content: bytes = CONTENT) -> dict[str, Any]:
    return {"content": content, "headers": {"Content-Type": content_type}}


def with_content(content: bytes) -> dict[str, Any]:
    return with_type("multipart/form-data; boundary=frontier", content)


def with_headers(*headers: str) -> dict[str, Any]:
    return multipart(TEXT, ("\r\n".join([*headers, IMAGE[0]]), IMAGE[1]))


HOSTILE = {
    "one of several images in base64": multipart(
        TEXT, IMAGE, (IMAGE[0] + "\r\nContent-Transfer-Encoding: base64", b"/9j/4AAQ"), IMAGE
    ),
    "several images without an end": with_content(
        multipart(TEXT, IMAGE, IMAGE)["content"].removesuffix(END)
    ),
    "10,000 fields": multipart(*[part("a", b"")] * 10_000, TEXT, IMAGE),
    "10,000 properties": multipart(*[TEXT] * 1000, IMAGE),
    "10,000 file fields without a file": multipart(
        *[part("image", b"", filename="")] * 10_000, TEXT, IMAGE
    ),
    "1,000 files": multipart(TEXT, *[IMAGE] * 1000),
    "a header of 100 kB": with_headers("X-Padding: " + "a" * 100_000),
    "a name of 100 kB": multipart(TEXT, part("image" + "e" * 100_000, IMAGE[1])),
    "a boundary of 300 bytes": multipart(TEXT, IMAGE, boundary="b" * 300),
    "a boundary of 71 bytes": multipart(TEXT, IMAGE, boundary="b" * 71),
    "no boundary": with_type("multipart/form-data"),
    "an empty boundary": with_type("multipart/form-data; boundary="),
    "an empty quoted boundary": with_type('multipart/form-data; boundary=""'),
    "a boundary that ends in space": with_type('multipart/form-data; boundary="frontier "'),
    "a boundary with a line break": with_type('multipart/form-data; boundary="a\tb"'),
    "another boundary": with_type("multipart/form-data; boundary=border"),
    "an encoded boundary": with_type("multipart/form-data; boundary*=utf-8''frontier%20"),
    "no end": with_content(CONTENT.removesuffix(END)),
    "an end cut off": with_content(CONTENT.removesuffix(b"--\r\n")),
    "half": with_content(CONTENT[: len(CONTENT) // 2]),
    "a part that never ends": with_content(CONTENT.removesuffix(b"--\r\n") + b"\r\nA: b\r\n\r\nx"),
    "headers that never end": with_content(CONTENT.removesuffix(b"--\r\n") + b"\r\nA: b\r\n"),
    "nothing": with_content(b""),
    "only the end": with_content(b"--frontier--\r\n"),
    "no parts": with_content(b"\r\n"),
    "text": with_content(b"Dear Sir or Madam,"),
    "JSON": with_content(JSON),
    "text before the first part": with_content(b"hello" + CONTENT),
    "line feeds alone": with_content(CONTENT.replace(b"\r\n", b"\n")),
    "a part without headers": multipart(("", b"x"), TEXT, IMAGE),
    "a part without a name": multipart(("Content-Disposition: form-data", b"x"), TEXT, IMAGE),
    "a part of no form": multipart(("Content-Type: image/jpeg", IMAGE[1]), TEXT),
    "a header without a colon": multipart(("Content-Disposition", b"x"), TEXT, IMAGE),
    "a header with a space": multipart(("Content Disposition: form-data", b"x"), TEXT, IMAGE),
    "NUL in a header": multipart(("Content-Disposition\0: form-data", b"x"), TEXT, IMAGE),
    "an image in base64": multipart(
        TEXT, (IMAGE[0] + "\r\nContent-Transfer-Encoding: base64", b"/9j/4AAQ")
    ),
    "a nested form": multipart(
        TEXT, ("Content-Disposition: form-data; name=image", GOOD["content"])
    ),
}  # fmt: skip


@pytest.fixture
async def author(api: Api) -> Person:
    """Has one ad, with the id 1."""
    person = await api.person()
    await person.post_ad()
    return person


@pytest.mark.heavy
@pytest.mark.parametrize(("method", "path"), [("POST", "/ads"), ("PATCH", "/ads/1/image")])
async def test_a_form_that_is_not_in_order_is_refused(
    api: Api, author: Person, method: str, path: str
) -> None:
    before = await snapshot(api)
    for name, form in HOSTILE.items():
        answer = await author.request(method, path, **form)
        no_picture = {"an image in base64", "one of several images in base64", "a nested form"}
        expected = {400, 415} if name in no_picture else {400}
        if name == "1,000 files" and method == "POST":
            expected = {409}
        assert answer.status_code in expected, name
        assert await snapshot(api) == before, name


async def test_a_hundred_headers_of_a_part_do_no_harm(api: Api) -> None:
    person = await api.person()
    answer = await person.post("/ads", **with_headers(*[f"X-{n}: {n}" for n in range(100)]))
    assert answer.status_code in {201, 400}
    assert len(api.pictures()) == (answer.status_code == 201)


NAMES = [
    "../../etc/x.png",
    "/etc/passwd",
    "..\\x",
    "\\0",
    "a" * 250,
    "CON",
    "%00",
    "",
    "ж.png",
    ".",
]


@pytest.mark.parametrize("name", NAMES)
async def test_the_name_of_a_file_has_no_part_in_where_it_is_stored(api: Api, name: str) -> None:
    person = await api.person()
    image = part("image", pictures.jpeg(), filename=name)
    answer = await person.post("/ads", **multipart(TEXT, image))
    assert answer.status_code == 201
    (stored,) = api.pictures()
    assert answer.json()["image"] == f"/images/{stored}"


@pytest.mark.parametrize(
    "content_type", ["multipart/form-data; boundary=frontier; charset=utf-16",
                     "multipart/form-data; charset=hex; boundary=frontier",
                     'Multipart/Form-Data; BOUNDARY="frontier"',
                     "multipart/form-data;boundary=frontier"],
)  # fmt: skip
async def test_the_type_may_say_more_than_it_needs_to(api: Api, content_type: str) -> None:
    person = await api.person()
    answer = await person.post("/ads", **with_type(content_type))
    assert answer.status_code == 201
    assert answer.json()["title"] == PROPERTIES["title"]


PIECES = st.sampled_from(
    [b"--frontier", b"--frontier--", b"\r\n", b"\r", b"\n", b"--", b"Content-Disposition", b": ",
     b"form-data; ", b"name=image", b'name="properties"', b"; filename=x",
     b"; filename*=utf-8''x", b'"', b"\\", b"\0", b"\xff", JSON, pictures.jpeg()],
)  # fmt: skip


@pytest.mark.heavy
@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(content=st.lists(PIECES, max_size=30).map(b"".join))
async def test_no_form_makes_the_service_fail(fuzzer: Person, content: bytes) -> None:
    answer = await fuzzer.post("/ads", **with_content(content))
    assert answer.status_code in {201, 400, 415}


@pytest.mark.heavy
@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(tail=st.text(st.characters(min_codepoint=9, max_codepoint=255), max_size=40))
async def test_no_content_type_makes_the_service_fail(fuzzer: Person, tail: str) -> None:
    headers = [(b"Content-Type", f"multipart/form-data{tail}".encode("latin-1"))]
    token = (b"Authorization", f"Bearer {fuzzer.token}".encode())
    answer = await fuzzer.client.post("/ads", content=CONTENT, headers=[*headers, token])
    assert answer.status_code in {201, 400, 415}


@pytest.fixture
async def fuzzer(api: Api) -> Person:
    return await api.person()
