// Releases of the SDK from 2025, which refuse an answer to initialize with a version that
// is newer than they are.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "./connect.mjs";

for (const release of ["sdk-1.12", "sdk-1.17"]) {
  const { Client } = await import(`${release}/client/index.js`);
  const { StdioClientTransport: stdio } = await import(`${release}/client/stdio.js`);
  const { StreamableHTTPClientTransport: http } = await import(`${release}/client/streamableHttp.js`);
  for (const transport of [{ stdio }, { http }]) {
    test(`${release} lists and calls tools over ${Object.keys(transport)}`, async () => {
      const { client, close } = await connect({ client: (self) => new Client(self), ...transport }, { OUTLINE_STRUCTURED_OUTPUT: "true" });
      try {
        const { tools } = await client.listTools();
        assert.ok(tools.some((tool) => tool.name === "list_collections"));
        const answer = await client.callTool({ name: "list_collections", arguments: {} });
        assert.ok(!answer.isError);
        assert.ok(answer.structuredContent.collections.length > 0);
      } finally {
        await close();
      }
    });
  }
}
