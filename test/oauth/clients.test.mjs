// Holds the login against the TypeScript clients of both generations: they discover,
// register, log in, renew and log in again by themselves.
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HTTP1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as Client2, StreamableHTTPClientTransport as HTTP2 } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { start, startDemo } from "../login.mjs";
import { App } from "./app.mjs";

const generations = {
  "SDK 1": { make: (self) => new Client1(self), http: HTTP1 },
  "client 2": { make: (self) => new Client2(self, { versionNegotiation: { mode: "auto" } }), http: HTTP2 },
  "client 2, as of 2025": { make: (self) => new Client2(self), http: HTTP2 },
};

for (const [name, generation] of Object.entries(generations)) {
  describe(`${name} and a login`, () => {
    let server, app;
    before(async () => { server = await start({ outline: ["--token-lifetime", "8s"] }); }); // ours live for half as long
    after(() => server.stop());

    it("discovers, registers, logs in and calls", async () => {
      app = new App(server, generation);
      assert.equal(await app.whoami(), "Isla Renwick");
      assert.equal(app.logins, 1);
      assert.equal(app.tokens().scope, "read write");
    });

    it("renews an expired token", async () => {
      const { access_token: expired } = app.tokens();
      await sleep(4100);
      assert.equal(await app.whoami(), "Isla Renwick");
      assert.notEqual(app.tokens().access_token, expired);
      assert.equal(app.logins, 1);
    });

    it("logs in again when its tokens have been revoked", async () => {
      const body = new URLSearchParams({ token: app.tokens().refresh_token, client_id: app.clientInformation().client_id });
      assert.equal((await fetch(new URL("/oauth/revoke", server.publicURL), { method: "POST", body })).status, 200);
      app.person = { person: "Ruben Falk" };
      assert.equal(await app.whoami(), "Ruben Falk");
      assert.equal(app.logins, 2);
    });

    it("gets to read only if the person gives no more", async () => {
      const reader = new App(server, generation, { scope: "read" });
      const tools = (await reader.use((client) => client.listTools())).tools.map((tool) => tool.name);
      assert.ok(tools.includes("read_document") && !tools.includes("update_document"), tools.join());
      assert.equal(reader.tokens().scope, "read");
      await reader.close();
    });

    it("is told when the person denies", async () => {
      const denied = new App(server, generation, { decision: "deny" });
      await assert.rejects(denied.whoami(), /access_denied/);
      assert.equal(denied.tokens(), undefined);
      await app.close();
    });
  });
}

describe("clients and a login", () => {
  it("need no registration if they have a metadata document", async (t) => {
    const server = await start({ settings: { MCP_OAUTH_CIMD: "true" } });
    t.after(server.stop);
    for (const generation of Object.values(generations)) {
      const app = new App(server, generation);
      app.clientMetadataUrl = "https://vscode.dev/oauth/client-metadata.json"; // built in, not fetched
      app.redirectUrl = "http://127.0.0.1:1/"; // another port than in the document
      assert.equal(await app.whoami(), "Isla Renwick");
      assert.equal(app.clientInformation().client_id, app.clientMetadataUrl);
      await app.close();
    }
  });

  it("can try it in the demo", async (t) => {
    const server = await startDemo();
    t.after(() => server.stop());
    for (const generation of Object.values(generations)) {
      const app = new App(server, generation, { person: "Ruben Falk" });
      assert.equal(await app.whoami(), "Ruben Falk");
      await app.close();
    }
  });
});
