#!/usr/bin/env python3
"""Drives `swizzleperf mcp` with the real client library (PyPI: mcp), as a coding agent does.

Usage: real_client.py PROGRAM SOURCE_FOLDER VENV. The library is installed into VENV on the first run; where that is
not possible the exit code is 77, which CTest takes as skipped.
"""
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path

LIBRARY = "mcp==2.3.0"


def ensure_library(venv: Path) -> Path:
    python = venv / "bin" / "python"
    mark = venv / "installed"
    if not mark.exists() or mark.read_text() != LIBRARY:
        steps = [[sys.executable, "-m", "venv", str(venv)], [str(python), "-m", "pip", "install", "-q", LIBRARY]]
        for step in steps:
            done = subprocess.run(step, capture_output=True, text=True, timeout=300, check=False)
            if done.returncode != 0:
                print(f"skipped: {LIBRARY} cannot be installed: {done.stderr.strip()[-300:]}")
                sys.exit(77)
        mark.write_text(LIBRARY)
    return python


async def drive(program: str, source: Path) -> None:
    from mcp import ClientSession, StdioServerParameters, stdio_client

    server = StdioServerParameters(command=program, args=["mcp"], env=dict(os.environ))
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        hello = await session.initialize()
        assert hello.server_info.name == "swizzleperf", hello
        await session.send_ping()
        names = {tool.name for tool in (await session.list_tools()).tools}
        assert names == {"analyze", "predict", "check", "optimize", "gpu_facts", "rewrite"}, names

        async def call(tool, /, **arguments):
            result = await session.call_tool(tool, arguments)
            return result, result.content[0].text

        result, text = await call("gpu_facts", name="mi300x")
        assert not result.is_error and json.loads(text)["l2.bytes"]["value"] == "4194304", text
        result, text = await call("check", map="pid = wg / 2", grid="64", gpu="mi300x")
        assert not result.is_error and json.loads(text)[0]["missing"] == 32, text
        case = str(source / "examples" / "elementwise" / "elementwise.toml")
        result, text = await call("predict", case=case, gpu="mi300x", map=["pid = num_wgs - 1 - wg"])
        assert not result.is_error, text
        assert json.loads(text)["predictions"][0]["bijective"] is True
        assert result.structured_content["predictions"][0]["kind"] == "predicted"
        result, text = await call("rewrite", case=case, gpu="mi300x", map="pid = num_wgs - 1 - wg")
        assert not result.is_error and "blockIdx" in json.loads(text)["patch"], text
        result, text = await call("rewrite", case=case, gpu="mi300x", map="pid = 0")
        assert result.is_error and "not a bijection" in text, text
        result, text = await call("analyze", case="absent.toml", gpu="mi300x")
        assert result.is_error and "absent.toml" in text, text

        # A call that is given up ends, and the next one is served at once.
        slow = asyncio.create_task(session.call_tool("optimize", {"case": str(source / "examples/transpose/transpose.toml"), "gpu": "h200"}))
        await asyncio.sleep(1.0)
        slow.cancel()
        await asyncio.gather(slow, return_exceptions=True)
        result, _ = await call("check", map="pid = wg", grid="64", gpu="mi300x")
        assert not result.is_error
    print("ok")


def main() -> None:
    program, source, venv = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    if len(sys.argv) > 4:
        asyncio.run(asyncio.wait_for(drive(program, source), 240))
        return
    python = ensure_library(venv)
    start = time.monotonic()
    done = subprocess.run([str(python), __file__, program, str(source), str(venv), "drive"], check=False)
    print(f"{time.monotonic() - start:.1f} s")
    sys.exit(done.returncode)


main()
