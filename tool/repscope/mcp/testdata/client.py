"""A session of the protocol's Python package with the server: python client.py PROGRAM FOLDER MODE VERSION."""

import asyncio
import base64
import os
import sys

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

program, folder, mode, version = sys.argv[1:]


async def session() -> None:
    steps = []

    async def progress(done, total, message):
        steps.append((done, message))

    server = StdioServerParameters(command=program, args=["mcp", "--root", folder], env={"REPSCOPE_MCP_TEST": "1"})
    async with Client(stdio_client(server, errlog=sys.stderr), mode=mode) as client:
        assert client.protocol_version == version, client.protocol_version
        assert client.server_info.name == "repscope" and folder in client.instructions
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names[0] == "list_analyses" and "run_analysis" in names, names
        analyses = await client.call_tool("list_analyses", {})
        assert "manifold" in [a["name"] for a in analyses.structured_content["analyses"]]
        shown = await client.call_tool("show_file", {"path": "x.npy"})
        assert shown.structured_content["files"][0]["arrays"][0]["shape"] == [200, 8], shown
        options = {"frames": "x.npy", "latents": {"a": "a.npy", "b": "b.npy"}, "k": [5]}
        plan = await client.call_tool("dry_run", {"analysis": "neighborhood", "options": options})
        assert plan.structured_content["states"] == 200, plan
        ran = await client.call_tool("run_analysis", {"analysis": "neighborhood", "options": options}, progress_callback=progress)
        assert not ran.is_error and steps == sorted(steps) and steps, (ran, steps)
        images = [c for c in ran.content if c.type == "image"]
        assert base64.b64decode(images[0].data).startswith(b"\x89PNG")
        path = ran.structured_content["result"]
        read = await client.call_tool("read_result", {"path": path, "metric": "by_k[k=5].continuity"})
        assert all(n["number"]["interval"] for n in read.structured_content["numbers"]), read
        resources = (await client.list_resources()).resources
        assert [os.path.basename(str(r.uri)) for r in resources] == ["neighborhood.json"], resources
        assert '"repscope/1"' in (await client.read_resource(resources[0].uri)).contents[0].text
        refused = await client.call_tool("run_analysis", {"analysis": "neighborhood", "options": {"frames": "/etc/passwd"}})
        assert refused.is_error and "outside" in refused.content[0].text, refused
        suite = {"analyses": ["manifold", "smoothness"], "datasets": {"val": {"frames": "x.npy", "latents": options["latents"]}}}
        described = await client.call_tool("describe_analysis", {"analysis": "evaluate"})
        assert "datasets:" in described.structured_content["manual"], described
        plan = await client.call_tool("run_study", {"suite": suite, "dry_run": True})
        assert not plan.is_error and "val/manifold" in str(plan.structured_content), plan
        steps.clear()
        ran = await client.call_tool("run_study", {"suite": suite}, progress_callback=progress)
        assert not ran.is_error and steps == sorted(steps) and steps, (ran, steps)
        study = os.path.dirname(ran.structured_content["result"])
        read = await client.call_tool("read_result", {"path": os.path.join(study, "val", "manifold", "manifold.json"), "model": "a"})
        assert not read.is_error, read
        suite["datasets"]["val"]["frames"] = "../x.npy"
        refused = await client.call_tool("run_study", {"suite": suite})
        assert refused.is_error and ".." in refused.content[0].text, refused
    assert not os.path.exists(path)


asyncio.run(session())
