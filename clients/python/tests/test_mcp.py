"""The MCP server, by a client of the official SDK over stdio."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import mcp
import pytest
from mcp_types import CallToolRequestParams, TextContent

from adsvc_client import AdsvcClient, AsyncAdsvcClient, mcp_server
from adsvc_client.mcp_server import tools_of
from conftest import PASSWORD

COMMAND = str(Path(sys.executable).with_name("adsvc-mcp"))


def key_of(service: str, name: str, *scopes: str) -> str:
    with AdsvcClient(service) as client:
        client.register(username=name, password=PASSWORD)
        client.login(username=name, password=PASSWORD)
        return client.create_key(name="model", scopes=[*scopes], current_password=PASSWORD).secret


@asynccontextmanager
async def connected(service: str, key: str, *options: str) -> AsyncIterator[mcp.Client]:
    environment = {**os.environ, "ADSVC_BASE_URL": service} | ({"ADSVC_KEY": key} if key else {})
    server = mcp.StdioServerParameters(command=COMMAND, args=[*options], env=environment)
    async with mcp.Client(server) as client:
        yield client


async def called(client: mcp.Client, name: str, **arguments: object) -> tuple[bool, str]:
    result = await client.call_tool(name, arguments)
    [content] = result.content
    assert isinstance(content, TextContent)
    return not result.is_error, content.text


async def test_a_model_reads_and_drafts_with_a_key(service: str, name: str) -> None:
    key = key_of(service, name, "ads:read", "ads:write")
    async with connected(service, key) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"listAds", "getMe", "listMessages", "createDraft"} <= tools.keys()
        # Neither what changes more, nor what is for operators or takes no key.
        assert (
            not {"updateAd", "register", "listUsers", "listEvents", "isReady", "exportMe"}
            & tools.keys()
        )
        changing = [each.name for each in tools.values() if not each.annotations.read_only_hint]  # type: ignore[union-attr]
        assert changing == ["createDraft"]
        assert "q" in tools["listAds"].input_schema["properties"]

        done, text = await called(client, "createDraft", title="Oak table", price=150)
        assert done, text
        assert (await called(client, "getAd", id=json.loads(text)["pk"]))[0]
        _, text = await called(client, "listMyAds", limit=1)
        assert [ad["title"] for ad in json.loads(text)["results"]] == ["Oak table"]

        # The model learns what is wrong.
        for tool, arguments, wrong in (
            ("createDraft", {"price": "much", "colour": "teal"}, "/colour"),
            ("listAds", {"colour": "teal"}, "colour"),
            ("getAd", {"id": 2**30}, "404"),
            ("getAd", {}, "id"),
            ("getMe", {}, "account:read"),
            ("deleteAd", {"id": 1}, "deleteAd"),
        ):
            done, text = await called(client, tool, **arguments)
            assert (done, wrong in text) == (False, True), text


async def test_what_changes_is_offered_on_request_and_marked(service: str, name: str) -> None:
    key = key_of(service, name, "ads:read", "ads:write")
    async with connected(service, key, "--write") as client:
        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        marks = {
            each: (marked.destructive_hint, marked.idempotent_hint)
            for each, marked in tools.items()
            if marked is not None
            and each in {"createDraft", "updateAd", "deleteAd", "sellAd", "getAd"}
        }
        assert marks == {
            "getAd": (False, True),
            "createDraft": (False, False),
            "updateAd": (True, True),
            "deleteAd": (True, True),
            "sellAd": (True, False),
        }
        _, text = await called(client, "createDraft", title="Oak table")
        draft = json.loads(text)["pk"]
        assert (await called(client, "updateAd", id=draft, price=90))[0]
        assert (await called(client, "deleteAd", id=draft)) == (True, "Done.")


async def test_without_a_key_there_is_what_everyone_may_read(service: str) -> None:
    async with connected(service, "") as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"listAds", "getAdDetails", "getSite"} <= names
        assert not {"getMe", "createDraft"} & names
        assert (await called(client, "listAds", q="oak"))[0]


async def test_arguments_lead_to_no_other_operation(service: str, name: str) -> None:
    key = key_of(service, name, "ads:write", "account:read")
    async with connected(service, key, "--write") as client:
        _, text = await called(client, "createDraft", title="Oak table")
        draft = json.loads(text)["pk"]
        for tool, argument in (
            ("getAd", {"id": f"{draft}/comments"}),
            ("getAd", {"id": ".."}),
            ("getSeller", {"id": "1/ratings"}),
            ("deleteAd", {"id": f"{draft}/favorite"}),
            ("getCategory", {"slug": "shelves/schema"}),
            ("putAd", {"externalId": "..", "title": "Oak table", "description": "Solid oak."}),
        ):
            done, text = await called(client, tool, **argument)
            assert (done, "must match" in text) == (False, True), text


async def test_an_answer_that_no_model_can_read_is_refused(
    service: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = httpx2.get(f"{service}/openapi.json", timeout=60).json()
    tools = {tool.tool.name: tool for tool in tools_of(document, with_key=False, writes=False)}
    monkeypatch.setattr(mcp_server, "MOST_CHARACTERS", 100)
    async with AsyncAdsvcClient(service) as client:
        called_with = CallToolRequestParams(name="getSite", arguments={})
        result = await mcp_server._call_tool(client, tools, None, called_with)
    [content] = result.content
    assert isinstance(content, TextContent)
    assert (result.is_error, "ask for less" in content.text) == (True, True)
