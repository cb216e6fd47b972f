"""Drives the server through the official Python SDK and prints the results as one line of JSON with sorted keys.

What is asked is in $CLIENT_STEPS, a JSON array; what should come of it is in crates/xtask/src/clients/conversation.rs. A
token in $CLIENT_TOKEN is sent along.

usage: python client.py (sdk1|sdk2) (legacy|auto) (stdio COMMAND [ARGUMENT...] | http URL)
"""

import asyncio
import contextlib
import json
import os
import sys

PATIENCE = 100
TOKEN = os.environ.get("CLIENT_TOKEN")
STEPS = json.loads(os.environ["CLIENT_STEPS"])


@contextlib.asynccontextmanager
async def first_sdk(transport, target, arguments):
    """Yields a session of mcp 1.x, the negotiated version and the server's name."""
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
    """Yields a client of mcp 2.x, the negotiated version and the server's name."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if transport == "stdio":
        server = stdio_client(StdioServerParameters(command=target, args=arguments))
    else:
        server = streamable_http_client(target, http_client=bearer())
    async with Client(server, mode=era) as client:
        yield client, client.protocol_version, client.server_info.name


def bearer():
    """Creates an HTTP client that sends the token."""
    from mcp.shared._httpx_utils import create_mcp_http_client

    return create_mcp_http_client(headers={"Authorization": f"Bearer {TOKEN}"})


def picked(text, step):
    """Returns the part of a text that a step selects; the whole text if it selects none or the text is not JSON."""
    if not step.get("pick"):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    for name in step["pick"]:
        try:
            value = value[name]
        except (KeyError, IndexError, TypeError):
            return f"no {name}"
    return str(value)


async def answer(client, step):
    """Returns the result of a step: a protocol error, a failed result, or a part of the response."""
    try:
        if "call" in step:
            result = await client.call_tool(step["call"], step["arguments"])
            is_error = getattr(result, "isError", None) or getattr(result, "is_error", None)
            structured = getattr(result, "structuredContent", None) or getattr(result, "structured_content", None)
            # The text is for models; a part is picked from what programs read.
            text = json.dumps(structured) if structured and step.get("pick") else result.content[0].text
            return ("failed " if is_error else "") + picked(text, step)
        if "read" in step:
            return picked((await client.read_resource(step["read"])).contents[0].text, step)
        if "prompt" in step:
            result = await client.get_prompt(step["prompt"], step["arguments"])
            return str(len(result.messages))
        uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
        return str(step["listed"] in uris)
    except Exception as error:
        return f"error {error.error.code}"


async def converse(connection):
    async with connection as (client, protocol, server):
        tools = (await client.list_tools()).tools
        answers = [await answer(client, step) for step in STEPS]
        return {"answers": answers, "protocol": protocol, "server": server, "tools": len(tools)}


def main():
    sdk, era, transport, target, *arguments = sys.argv[1:]
    if sdk == "sdk1":
        connection = first_sdk(transport, target, arguments)
    else:
        connection = second_sdk(era, transport, target, arguments)
    report = asyncio.run(asyncio.wait_for(converse(connection), PATIENCE))
    print(json.dumps(report, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


main()
