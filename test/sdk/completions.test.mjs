// Completions, the identity of the server, and the tools for ChatGPT, with the official
// TypeScript clients of both generations.
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

for (const [name, kind] of [
  ["client 2 over HTTP", { client: newest, http: StreamableHTTPClientTransport }],
  ["client 2 over stdio", { client: newest, stdio: StdioClientTransport }],
  ["client 2 over HTTP, as of 2025", { client: usual, http: StreamableHTTPClientTransport }],
  ["SDK 1 over stdio", { client: first, stdio: Stdio1 }],
  ["SDK 1 over HTTP", { client: first, http: HTTP1 }],
]) {
  describe(name, () => {
    let client, close;
    before(async () => { ({ client, close } = await connect(kind, { OUTLINE_TOOLS: "default,chatgpt", OUTLINE_TOOL_ICONS: "true" })); });
    after(() => close());

    const complete = async (ref, argument, value) => (await client.complete({ ref, argument: { name: argument, value } })).completion;

    it("completes the id of every template of a resource that has titles", async () => {
      assert.ok(client.getServerCapabilities().completions);
      const { resourceTemplates } = await client.listResourceTemplates();
      const ids = { document: "friday-soup-1wPyxUCdt9", document_outline: "friday-soup-1wPyxUCdt9", document_comments: "friday-soup-1wPyxUCdt9", document_backlinks: "friday-soup-1wPyxUCdt9", collection: undefined, attachment: undefined, revision: undefined };
      assert.deepEqual(resourceTemplates.map((one) => one.name), Object.keys(ids));
      for (const { name, uriTemplate } of resourceTemplates) {
        const { values } = await complete({ type: "ref/resource", uri: uriTemplate }, "id", "friday");
        assert.deepEqual(values, ids[name] ? [ids[name]] : [], name);
      }
    });

    it("completes arguments of prompts, and gets the prompt with what it suggests", async () => {
      const { prompts } = await client.listPrompts();
      assert.ok(prompts.some((one) => one.name === "summarize_collection"));
      const completion = await complete({ type: "ref/prompt", name: "summarize_collection" }, "collection", "hand");
      assert.deepEqual(completion, { values: ["handbook-mTem8tcJ8a"], total: 1 });
      const { messages } = await client.getPrompt({ name: "summarize_collection", arguments: { collection: completion.values[0] } });
      assert.ok(messages.length > 0);
    });

    it("has an empty completion for anything else", async () => {
      assert.deepEqual(await complete({ type: "ref/prompt", name: "nothing" }, "nothing", ""), { values: [] });
    });

    it("shows icons, and who the server is", async () => {
      const server = client.getServerVersion();
      assert.equal(server.title, "Outline");
      assert.deepEqual(server.icons.map((one) => one.mimeType), ["image/svg+xml", "image/png"]);
      assert.match(client.getInstructions(), /Outline is the team's wiki/);
      const { tools } = await client.listTools();
      for (const tool of tools) assert.ok(tool.icons[0].src.startsWith("data:image/svg+xml;base64,") && tool.icons[0].src.length <= 2048, tool.name);
    });

    it("searches and fetches as ChatGPT does", async () => {
      const json = (result) => {
        assert.equal(result.content.length, 1);
        assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
        return result.structuredContent;
      };
      const { results } = json(await client.callTool({ name: "search", arguments: { query: "backlog" } }));
      assert.deepEqual(Object.keys(results[0]), ["id", "title", "url"]);
      const found = json(await client.callTool({ name: "fetch", arguments: { id: results[0].id } }));
      assert.deepEqual([found.id, found.title, found.url], Object.values(results[0]));
      assert.ok(found.text.includes("backlog") || found.text.includes("queue"));
      assert.equal(found.metadata.status, "published");
      const none = await client.callTool({ name: "fetch", arguments: { id: "AAAAAAAAAA" } });
      assert.ok(none.isError && none.structuredContent.code === "not_found");
    });
  });
}
