"""Drives the server through the official Python SDK and prints, as one line of JSON with sorted keys, what came of it.

What should have come of it is not said here, but in crates/xtask/src/clients/expected.rs. With a token in $CLIENT_TOKEN,
to be sent along, the conversation is about tasks.

usage: python client.py (sdk1|sdk2) (legacy|auto) (stdio COMMAND [ARGUMENT...] | http URL)
"""

import asyncio
import contextlib
import json
import os
import sys

PATIENCE = 100
TOKEN = os.environ.get("CLIENT_TOKEN")


@contextlib.asynccontextmanager
async def first_sdk(transport, target, arguments):
    """Yields a session of mcp 1.x, the version it agreed on and the server's name."""
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if transport == "stdio":
        connection = stdio_client(StdioServerParameters(command=target, args=arguments))
    else:
        connection = streamable_http_client(target, http_client=bearer())
    async with connection as streams, ClientSession(*streams[:2]) as session:
        hello = await session.initialize()
        yield session, hello.protocolVersion, hello.serverInfo.name


@contextlib.asynccontextmanager
async def second_sdk(era, transport, target, arguments):
    """Yields a client of mcp 2.x, the version it agreed on and the server's name."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = target
    if transport == "stdio":
        server = stdio_client(StdioServerParameters(command=target, args=arguments))
    elif TOKEN:
        from mcp.client.streamable_http import streamable_http_client

        server = streamable_http_client(target, http_client=bearer())
    async with Client(server, mode=era) as client:
        yield client, client.protocol_version, client.server_info.name


def bearer():
    """Makes the client of HTTP that sends the token along; none without one."""
    from mcp.shared._httpx_utils import create_mcp_http_client

    return create_mcp_http_client(headers={"Authorization": f"Bearer {TOKEN}"}) if TOKEN else None


def read(result):
    return json.loads(result.content[0].text)


async def failure(call):
    """Says how a call that should fail did so: as an error of the protocol, as a result that says so, or not at all."""
    try:
        result = await call
    except Exception as error:
        return f"error {error.error.code}"
    is_error = getattr(result, "isError", None) or getattr(result, "is_error", None)
    if not is_error:
        return "success"
    return f"result {result.content[0].text if TOKEN else read(result)['error']['code']}"


async def talk_about_issues(client):
    issues = read(await client.call_tool("git_mile.list", {"entity": "issue"}))["items"]
    shown = read(await client.call_tool("git_mile.show", {"entity": "issue", "id": issues[0]["id"]}))
    bad_filter = {"entity": "issue", "filter": "colour == red"}
    return {
        "badFilter": await failure(client.call_tool("git_mile.list", bad_filter)),
        "issues": [issue["title"] for issue in issues],
        "shown": shown["description"],
        "unknownTool": await failure(client.call_tool("git_mile.close", {})),
        # Still there after the errors.
        "issuesAgain": len(read(await client.call_tool("git_mile.list", {"entity": "issue"}))["items"]),
    }


async def talk_about_tasks(client):
    made = read(await client.call_tool("create_task", {"title": "Made by a client"}))
    listed = (await client.list_resources()).resources
    shown = (await client.read_resource(made["uri"])).contents[0].text
    completion = {"id": made["task"]["id"], "completed_at": "2025-01-14"}
    return {
        "badSize": await failure(client.call_tool("create_task", {"title": "x", "size": "huge"})),
        "isListed": any(str(resource.uri) == made["uri"] for resource in listed),
        "task": json.loads(shown)["title"],
        # Still there after the error.
        "completed": read(await client.call_tool("complete_task", completion))["task"]["completed_at"],
    }


async def converse(connection):
    async with connection as (client, protocol, server):
        tools = (await client.list_tools()).tools
        talk = talk_about_tasks if TOKEN else talk_about_issues
        report = await talk(client)
        return report | {"protocol": protocol, "server": server, "tools": [tool.name for tool in tools]}


def main():
    sdk, era, transport, target, *arguments = sys.argv[1:]
    if sdk == "sdk1":
        connection = first_sdk(transport, target, arguments)
    else:
        connection = second_sdk(era, transport, target, arguments)
    report = asyncio.run(asyncio.wait_for(converse(connection), PATIENCE))
    print(json.dumps(report, sort_keys=True, separators=(",", ":")))


main()
