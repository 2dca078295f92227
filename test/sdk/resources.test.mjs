// Lists and reads resources with the official TypeScript clients of both generations.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HTTP1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { connect } from "./connect.mjs";

const newest = (self) => new Client(self, { versionNegotiation: { mode: "auto" } });
const usual = (self) => new Client(self);
const first = (self) => new Client1(self);

// The second generation turns the code of the versions before 2026 into the new one.
for (const [name, absent, kind] of [
  ["client 2 over HTTP", -32602, { client: newest, http: StreamableHTTPClientTransport }],
  ["client 2 over stdio", -32602, { client: newest, stdio: StdioClientTransport }],
  ["client 2 over HTTP, as of 2025", -32602, { client: usual, http: StreamableHTTPClientTransport }],
  ["SDK 1 over stdio", -32002, { client: first, stdio: Stdio1 }],
  ["SDK 1 over HTTP", -32002, { client: first, http: HTTP1 }],
]) {
  describe(`resources for ${name}`, () => {
    let client, close;
    before(async () => { ({ client, close } = await connect(kind, {})); });
    after(() => close());

    it("are announced", () => assert.ok(client.getServerCapabilities().resources));

    it("can all be read, as they are listed", async () => {
      const { resources } = await client.listResources();
      assert.ok(resources.length > 20, `${resources.length} resources`);
      for (const { uri, name, mimeType, annotations } of resources) {
        assert.ok(name);
        if (uri.startsWith("skill:")) { // a file as it is
          const { contents: [file] } = await client.readResource({ uri });
          assert.equal(file.uri, uri);
          assert.ok(file.text.startsWith("---\nname: "), file.text.slice(0, 100));
          continue;
        }
        if (uri === "outline://icons") { // the same for everyone
          const { contents: [names] } = await client.readResource({ uri });
          assert.equal(names.mimeType, mimeType);
          assert.match(names.text, /^rocket$/m);
          continue;
        }
        assert.ok(annotations.priority > 0 && !Number.isNaN(Date.parse(annotations.lastModified)), uri);
        const { contents: [content] } = await client.readResource({ uri });
        assert.equal(content.uri, uri);
        assert.equal(content.mimeType, mimeType);
        assert.ok(content.text.startsWith("# "), content.text.slice(0, 100));
      }
    });

    it("have templates", async () => {
      const { resourceTemplates } = await client.listResourceTemplates();
      assert.deepEqual(resourceTemplates.map((one) => one.name), ["document", "document_outline", "document_comments", "document_backlinks", "collection", "attachment", "revision"]);
    });

    it("can be files", async () => {
      const { contents: [content] } = await client.readResource({ uri: "outline://attachments/3d0c4be5-6d0f-4a5a-8c3e-0f6a8e1b7c21" });
      assert.equal(content.mimeType, "image/png");
      assert.equal(Buffer.from(content.blob, "base64").subarray(1, 4).toString(), "PNG");
    });

    it("fail with the code of the version", async () => {
      await assert.rejects(client.readResource({ uri: "outline://documents/11111111-1111-4111-8111-111111111111" }),
        (error) => error.code === absent && /nothing found with this ID/.test(error.message));
      await assert.rejects(client.readResource({ uri: "outline://documents/x" }), (error) => error.code === absent && /is called/.test(error.message));
      await assert.rejects(client.listResources({ cursor: "x" }), (error) => error.code === -32602 && /cursor/.test(error.message));
    });
  });
}
