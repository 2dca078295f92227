// Holds the login against two servers that share nothing but their settings, with
// requests sent to them in turn.
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as HTTP1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client as Client2, StreamableHTTPClientTransport as HTTP2 } from "@modelcontextprotocol/client";
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { consent, secret } from "../login.mjs";
import { App } from "./app.mjs";
import { skip, startBalanced } from "./balancer.mjs";

const generations = [
  { make: (self) => new Client1(self), http: HTTP1 },
  { make: (self) => new Client2(self, { versionNegotiation: { mode: "auto" } }), http: HTTP2 },
];
const people = ["Isla Renwick", "Ruben Falk", "Priya Lindqvist", "Duarte Kimani"];

describe("two servers behind one address", { skip }, () => {
  let servers;
  before(async () => { servers = await startBalanced({ outline: ["--token-lifetime", "6s"] }); }); // ours live for half as long
  after(() => servers?.stop());

  // crowd returns an app of either generation for each of the people.
  const crowd = () => people.flatMap((person) => generations.map((generation) => new App(servers, generation, { person })));
  const closeAll = (apps) => Promise.all(apps.map((app) => app.close()));

  it("complete a login whose steps alternate between them", async (t) => {
    const served = [];
    t.mock.method(globalThis, "fetch", recording(served));
    for (const generation of generations) {
      const app = new App(servers, generation);
      assert.equal(await app.whoami(), "Isla Renwick");
      await app.close();
    }
    const alternating = served.filter((name, i) => i === 0 || name !== served[i - 1]);
    assert.ok(alternating.length > served.length / 2, served.join(" "));
  });

  it("accept a code once between them", async (t) => {
    const app = new App(servers, generations[0]);
    await app.whoami();
    const redirect_uri = app.redirectUrl, { client_id } = app.clientInformation();
    const link = `${servers.publicURL}/oauth/authorize?${new URLSearchParams({
      client_id, redirect_uri, response_type: "code", code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256",
    })}`;
    const code = (await consent(link)).searchParams.get("code");
    const redeem = async () => {
      const body = new URLSearchParams({ grant_type: "authorization_code", code, client_id, redirect_uri, code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" });
      const response = await fetch(new URL("/oauth/token", servers.publicURL), { method: "POST", body });
      return { by: response.headers.get("x-served-by"), status: response.status, ...await response.json() };
    };
    const [first, second] = [await redeem(), await redeem()];
    assert.deepEqual([first.status, second.status, second.error], [200, 400, "invalid_grant"]);
    assert.notEqual(first.by, second.by);
    await app.close();
  });

  it("lose nothing but what one of them was doing when it crashed", async () => {
    const apps = crowd();
    let calls = 0, crash, down = false;
    const lost = []; // of the calls that began when the server was down
    await Promise.all(apps.map(async (app) => {
      for (let i = 0; i < 20; i++) {
        if (++calls === apps.length * 5) crash = servers.kill("b").then(() => { down = true; });
        const began = down;
        try {
          assert.equal(await app.whoami(), app.person.person);
        } catch (error) {
          assert.ok(!(error instanceof assert.AssertionError), error);
          if (began) lost.push(error);
        }
      }
    }));
    await crash;
    assert.deepEqual(lost, []);
    // A refresh token whose answer was lost is used up: that person logs in again.
    assert.ok(apps.every((app) => app.logins <= 2) && apps.some((app) => app.logins === 1), `logins: ${apps.map((app) => app.logins)}`);
    await closeAll(apps);
    await servers.start("b");
  });

  it("keep all logins while the secret is replaced", async () => {
    const apps = crowd();
    await Promise.all(apps.map((app) => app.whoami()));
    let replaced = false;
    const load = Promise.all(apps.map(async (app) => {
      while (!replaced) assert.equal(await app.whoami(), app.person.person);
    }));
    // renewed waits until every app has tokens that were sealed since then.
    const renewed = async () => {
      const before = apps.map((app) => app.renewals);
      while (!replaced && apps.some((app, i) => app.renewals <= before[i])) await sleep(20);
    };
    const newer = "another secret for tests of 32 bytes or more";
    for (const settings of [
      { MCP_OAUTH_SECRET_PREVIOUS: newer }, // all can open what is sealed with it
      { MCP_OAUTH_SECRET: newer, MCP_OAUTH_SECRET_PREVIOUS: secret },
    ]) {
      for (const name of ["a", "b"]) {
        await Promise.race([load, servers.restart(name, settings)]);
        await Promise.race([load, renewed()]);
      }
    }
    replaced = true;
    await load;
    assert.deepEqual(apps.map((app) => app.logins), apps.map(() => 1));
    await closeAll(apps);
  });
});

// recording returns a fetch that notes which server has answered.
function recording(served) {
  const { fetch } = globalThis;
  return async (...request) => {
    const response = await fetch(...request);
    const name = response.headers.get("x-served-by");
    if (name) served.push(name);
    return response;
  };
}
