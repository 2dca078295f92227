// Runs the suite's scenarios for authorization servers, and logs in with the official
// Inspector.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { binary, consent, freePort, start } from "../login.mjs";
import { authorization, inspectorWith, scratch } from "./tools.mjs";

describe("the login", () => {
  let server, port;
  before(async () => {
    port = await freePort();
    server = await start({ settings: { MCP_OAUTH_REDIRECTS: `http://127.0.0.1:${port}/callback`, MCP_OAUTH_CIMD: "true" } });
  });
  after(() => server.stop());

  it("passes the suite's scenarios for authorization servers", async () => {
    const follow = async (line) => {
      const [link] = line.match(/http:\S+\/oauth\/authorize\?\S+/) ?? [];
      if (link) await fetch(await consent(link));
    };
    const { code, stdout, stderr } = await authorization(follow, "--url", server.publicURL, "--client-id", "outline-mcp", "--resource", server.url.href, "--port", String(port), "-o", scratch);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /Total: 3 passed, 0 failed/);
  });

  it("lets Inspector in, which registers, logs in and calls", async () => {
    // Inspector gives its link to the program in BROWSER.
    const browser = join(scratch, "person.mjs");
    const helper = JSON.stringify(new URL("../login.mjs", import.meta.url));
    writeFileSync(browser, `#!${process.execPath}\nimport { consent } from ${helper};\nawait fetch(await consent(process.argv[2]));\n`, { mode: 0o755 });
    const settings = { MCP_AUTO_OPEN_ENABLED: "true", BROWSER: browser, MCP_STORAGE_DIR: join(scratch, "inspector"), OUTLINE_MCP_BINARY: binary };
    const { code, stdout, stderr } = await inspectorWith(settings, server.url.href, "--transport", "http", "--method", "tools/call", "--tool-name", "get_workspace");
    assert.equal(code, 0, stderr);
    assert.match(stdout.slice(stdout.indexOf("{")), /You are \\"Isla Renwick\\"/);
  });
});
