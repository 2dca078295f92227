// Drives the real binary with the official TypeScript clients, which validate
// every result against the outputSchema that the server listed. The calls are
// those of the golden files in tools/testdata/calls.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { exampleCalls } from "../calls.mjs";
import { connect } from "./connect.mjs";

const cases = exampleCalls();
const known = [...new Set(cases.map(({ tool }) => tool))].sort();

// always are the tools whose answers are structured whatever the setting says: ChatGPT
// requires it.
const always = ["search", "fetch"];

// hold tests the program with one kind of client, in both renderings; with readOnly,
// only the tools that read.
export function hold(name, kind, { readOnly = false } = {}) {
  for (const structured of ["false", "true"]) {
    describe(`${name}, OUTLINE_STRUCTURED_OUTPUT=${structured}`, () => {
      const on = structured === "true";
      let connected, tools;

      // open connects a client and lists the tools, so that the client validates from
      // then on.
      const open = async () => {
        const opened = await connect(kind, { OUTLINE_TOOLS: "all", OUTLINE_STRUCTURED_OUTPUT: structured });
        return { ...opened, tools: (await opened.client.listTools()).tools };
      };

      before(async () => { connected = await open(); tools = connected.tools; });
      after(() => connected.close());

      if (kind.version) it(`speaks ${kind.version}`, () => {
        const { client } = connected;
        assert.equal(client.getNegotiatedProtocolVersion?.() ?? client.transport.protocolVersion, kind.version);
      });

      it("lists the tools that the golden files call, and no others", () => {
        assert.deepEqual(tools.map(({ name }) => name).sort(), known);
      });

      const structures = (tool) => on || always.includes(tool);

      it("declares an outputSchema exactly when structured output is on", () => {
        for (const tool of tools) assert.equal(tool.outputSchema !== undefined, structures(tool.name), tool.name);
      });

      it("introduces itself with instructions", () => {
        assert.match(connected.client.getInstructions(), /Outline/);
      });

      // check makes one call and checks its result.
      const check = async (client, tool, name, args) => {
        const result = await client.callTool({ name: tool, arguments: args });
        const failed = name.startsWith("failure");
        assert.equal(result.isError === true, failed);
        const [text, ...others] = result.content;
        assert.equal(text.type, "text");
        assert.notEqual(text.text, "");
        const told = structures(tool) ? others[0]?.type : text.text.match(/, as an? (image|resource)\.$/)?.[1]; // beside structured content, the text is short
        const below = tool === "read_attachment" && told;
        assert.deepEqual(others.map(({ type }) => type), below ? [below] : []);
        assert.equal("structuredContent" in result, structures(tool));
        if (structures(tool)) assert.equal("error" in result.structuredContent, failed);
      };
      const reads = (tool) => tools.find(({ name }) => name === tool).annotations.readOnlyHint;

      for (const { tool, name, args } of readOnly ? [] : cases) {
        it(`${tool}: ${name}`, async (t) => {
          if (reads(tool) || name.startsWith("failure")) return check(connected.client, tool, name, args);
          // What one call writes must not affect the next.
          const own = await open();
          t.after(own.close);
          await check(own.client, tool, name, args);
        });
      }

      if (readOnly) it("gets an answer from every tool that reads", async () => {
        for (const { tool, name, args } of cases) {
          if (reads(tool)) await check(connected.client, tool, name, args);
        }
      });

      it("refuses a tool that does not exist with a protocol error", async () => {
        await assert.rejects(connected.client.callTool({ name: "no_such_tool", arguments: {} }), /there is no tool no_such_tool/);
      });
    });
  }
}
