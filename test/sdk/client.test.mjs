// Starts the real binary on stdio with the embedded workspace and drives it
// with the official TypeScript client, which validates every result against
// the outputSchema that the server listed. The calls are those of the golden
// files in tools/testdata/calls.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const binary = process.env.OUTLINE_MCP_BINARY;
assert.ok(binary, "set OUTLINE_MCP_BINARY to the program to test");

const calls = new URL("../../tools/testdata/calls/", import.meta.url);
const cases = readdirSync(calls).map((tool) => ({
  tool,
  arguments: JSON.parse(readFileSync(new URL(`${tool}/arguments.json`, calls), "utf8")),
}));

// connect starts the program and returns a client of it.
async function connect(structured) {
  const client = new Client({ name: "sdk-test", version: "1" });
  await client.connect(new StdioClientTransport({
    command: binary,
    args: ["--demo"],
    env: { OUTLINE_STRUCTURED_OUTPUT: structured },
    stderr: "ignore",
  }));
  const { tools } = await client.listTools(); // from here on the client validates
  return { client, tools };
}

for (const structured of ["false", "true"]) {
  describe(`OUTLINE_STRUCTURED_OUTPUT=${structured}`, () => {
    const on = structured === "true";
    let client, tools;

    before(async () => { ({ client, tools } = await connect(structured)); });
    after(() => client.close());

    it("lists the tools that the golden files call, and no others", () => {
      assert.deepEqual(tools.map((t) => t.name).sort(), cases.map((c) => c.tool).sort());
    });

    it("declares an outputSchema exactly when structured output is on", () => {
      for (const tool of tools) assert.equal(tool.outputSchema !== undefined, on, tool.name);
    });

    it("introduces itself with instructions", () => {
      assert.match(client.getInstructions(), /Outline/);
    });

    for (const { tool, arguments: named } of cases) {
      for (const [name, args] of Object.entries(named)) {
        it(`${tool}: ${name}`, async (t) => {
          let caller = client;
          if (!tools.find((known) => known.name === tool).annotations.readOnlyHint) {
            // What one call writes must not be in the way of the next.
            ({ client: caller } = await connect(structured));
            t.after(() => caller.close());
          }
          const result = await caller.callTool({ name: tool, arguments: args });
          const failed = name.startsWith("failure");
          assert.equal(result.isError === true, failed);
          assert.equal(result.content.length, 1);
          assert.notEqual(result.content[0].text, "");
          assert.equal("structuredContent" in result, on);
          if (on) assert.equal("error" in result.structuredContent, failed);
        });
      }
    }

    it("refuses a tool that does not exist with a protocol error", async () => {
      await assert.rejects(client.callTool({ name: "no_such_tool", arguments: {} }), /not found/);
    });
  });
}
