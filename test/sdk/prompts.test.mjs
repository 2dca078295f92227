// Lists and gets prompts with the official TypeScript clients of both generations.
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

// Arguments for each prompt of the server, in the sample workspace.
const samples = {
  answer_from_wiki: { question: "How is firmware released?" },
  summarize_collection: { collection: "Operations" },
  write_from_template: { template: "Incident {date}", notes: "A buoy was adrift." },
  review_document: { document: "Release process" },
  catch_up: {},
  find_outdated: {},
};

for (const [name, kind] of [
  ["client 2 over HTTP", { client: newest, http: StreamableHTTPClientTransport }],
  ["client 2 over stdio", { client: newest, stdio: StdioClientTransport }],
  ["client 2 over HTTP, as of 2025", { client: usual, http: StreamableHTTPClientTransport }],
  ["SDK 1 over stdio", { client: first, stdio: Stdio1 }],
  ["SDK 1 over HTTP", { client: first, http: HTTP1 }],
]) {
  describe(`prompts for ${name}`, () => {
    let client, close;
    before(async () => { ({ client, close } = await connect(kind, { OUTLINE_PROMPTS_COLLECTION: "OFfpZ4cXZb" })); });
    after(() => close());

    it("are announced", () => assert.ok(client.getServerCapabilities().prompts));

    it("are those of the server, and the documents of the collection", async () => {
      const { prompts } = await client.listPrompts();
      assert.deepEqual(prompts.slice(0, 6).map(({ name }) => name), Object.keys(samples));
      assert.equal(prompts.length, 11);
      for (const { name, title, description, icons } of prompts) assert.ok(title && icons.length === 1 && (description || !(name in samples)), name);
    });

    it("have content from the workspace", async () => {
      for (const [name, args] of Object.entries(samples)) {
        const { messages } = await client.getPrompt({ name, arguments: args });
        assert.ok(messages.length > 1, name);
        for (const { role, content } of messages) {
          assert.equal(role, "user");
          assert.ok((content.text ?? content.resource.text).length > 20, name);
        }
      }
      const { messages } = await client.getPrompt({ name: "review_document", arguments: samples.review_document });
      assert.equal(messages[1].content.resource.uri, "outline://documents/34fb9622-1535-410a-9b83-534baffce3d9");
    });

    it("can be documents", async () => {
      const { prompts } = await client.listPrompts();
      const { messages: [{ content }] } = await client.getPrompt({ name: prompts[6].name });
      assert.equal(content.type, "text");
    });

    it("complete their arguments", async () => {
      const { completion } = await client.complete({ ref: { type: "ref/prompt", name: "summarize_collection" }, argument: { name: "collection", value: "oper" } });
      const { messages: [{ content }] } = await client.getPrompt({ name: "summarize_collection", arguments: { collection: completion.values[0] } });
      assert.match(content.text, /"Operations"/);
    });

    it("fail with the code for invalid parameters", async () => {
      const rejects = (params, message) => assert.rejects(client.getPrompt(params), (error) => error.code === -32602 && message.test(error.message));
      await rejects({ name: "nothing" }, /no prompt is called "nothing"/);
      await rejects({ name: "answer_from_wiki" }, /missing argument question/);
      await rejects({ name: "summarize_collection", arguments: { collection: "Nowhere" } }, /no collection that you can see/);
    });
  });
}
