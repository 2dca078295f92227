// Subscribes to resources with the official TypeScript clients of both generations.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HTTP1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { connect } from "./connect.mjs";

const guide = "outline://documents/lesdaiqkpT", soup = "outline://documents/1wPyxUCdt9";
const newest = (self) => new Client(self, { versionNegotiation: { mode: "auto" } });

// updates collects the URIs that a client is told about.
function updates(client, notification) {
  const heard = [];
  let wake = () => {};
  client.setNotificationHandler(notification, ({ params }) => { heard.push(params.uri); wake(); });
  return async () => {
    if (heard.length === 0) await new Promise((resolve) => { wake = resolve; });
    return heard.splice(0);
  };
}

// rename changes a document as another user would, with a call of its own.
const rename = (client, id, title) => client.callTool({ name: "update_document", arguments: { document_id: id, title } });

for (const [name, kind] of [
  ["client 2 over HTTP", { client: newest, http: StreamableHTTPClientTransport }],
  ["client 2 over stdio", { client: newest, stdio: StdioClientTransport }],
]) {
  describe(`subscriptions of ${name}`, { timeout: 60_000 }, () => {
    let client, close;
    before(async () => { ({ client, close } = await connect(kind, {})); });
    after(() => close());

    it("hear of changes to what they were granted, until they are closed", async () => {
      const next = updates(client, "notifications/resources/updated");
      const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: [guide, "outline://documents/11111111-1111-4111-8111-111111111111"] });
      assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: [guide] });
      await rename(client, "1wPyxUCdt9", "Not subscribed to");
      await rename(client, "lesdaiqkpT", "Changed");
      assert.deepEqual(await next(), [guide]);
      await subscription.close();
    });

    it("fail if nothing can be granted", () =>
      assert.rejects(client.listen({ resourceSubscriptions: ["outline://revisions/11111111-1111-4111-8111-111111111111"] }), /are not reported/));
  });
}

for (const [name, kind, notification] of [
  ["SDK 1 over stdio", { client: (self) => new Client1(self), stdio: Stdio1 }, ResourceUpdatedNotificationSchema],
  ["client 2 over stdio, as of 2025", { client: (self) => new Client(self), stdio: StdioClientTransport }, "notifications/resources/updated"],
]) {
  describe(`subscriptions of ${name}`, { timeout: 60_000 }, () => {
    let client, close;
    before(async () => { ({ client, close } = await connect(kind, {})); });
    after(() => close());

    it("hear of changes until they end", async () => {
      assert.equal(client.getServerCapabilities().resources.subscribe, true);
      const next = updates(client, notification);
      await client.subscribeResource({ uri: guide });
      await client.subscribeResource({ uri: soup });
      await client.unsubscribeResource({ uri: soup });
      await rename(client, "1wPyxUCdt9", "Not subscribed to");
      await rename(client, "lesdaiqkpT", "Changed");
      assert.deepEqual(await next(), [guide]);
    });

    it("are refused for what cannot be read", () =>
      assert.rejects(client.subscribeResource({ uri: "outline://documents/11111111-1111-4111-8111-111111111111" }), /nothing found with this ID/));
  });
}

describe("subscriptions of SDK 1 over HTTP", () => {
  it("are not announced, because there are no sessions", async () => {
    const { client, close } = await connect({ client: (self) => new Client1(self), http: HTTP1 }, {});
    try {
      assert.equal(client.getServerCapabilities().resources.subscribe, undefined);
    } finally {
      await close();
    }
  });
});
