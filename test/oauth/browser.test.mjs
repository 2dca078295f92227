// Walks the login in Chromium as a person does, and looks for what keeps people from
// using its pages. Set SCREENSHOTS to a folder to see them.
import axe from "axe-core";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { chromium } from "playwright-core";
import { start } from "../login.mjs";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
const skip = existsSync(executablePath) ? false : `needs Chromium, at ${executablePath} or $CHROMIUM`;

const looks = {
  "on a phone, light": { viewport: { width: 320, height: 640 }, colorScheme: "light" },
  "on a phone, dark": { viewport: { width: 320, height: 640 }, colorScheme: "dark" },
  "on a desktop, light": { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  "on a desktop, dark": { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
};

describe("logging in with a browser", { skip }, () => {
  let server, browser, app;
  before(async () => {
    [server, browser] = await Promise.all([
      start({ settings: { OUTLINE_DISABLE_DELETE: "true", MCP_OAUTH_CIMD: "true" } }),
      chromium.launch({ executablePath, args: process.getuid() === 0 ? ["--no-sandbox"] : [] }),
    ]);
    app = await App.register(server, "Example assistant");
  });
  after(async () => { await browser?.close(); app?.close(); await server?.stop(); });

  // open returns a page of a new person's browser.
  const open = async (t, url, look = looks["on a desktop, light"]) => {
    const context = await browser.newContext(look);
    t.after(() => context.close());
    context.setDefaultTimeout(10_000);
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };

  for (const [name, look] of Object.entries(looks)) {
    it(`works ${name}, with the keyboard alone`, async (t) => {
      const page = await open(t, app.link(), look);
      await fits(page, `consent ${name}`);
      assert.match(await page.textContent("main"), /Example assistant[\s\S]*127\.0\.0\.1[\s\S]*deleted/);
      await press(page, "Allow");
      await page.getByRole("heading", { name: "Log in" }).waitFor();
      await fits(page, `login ${name}`);
      await press(page, "Isla Renwick (admin)");
      await page.getByRole("button", { name: "Authorize" }).waitFor();
      await fits(page, `Outline ${name}`);
      await press(page, "Authorize");
      await page.waitForURL(/\/callback\?/);
      const answer = app.answer();
      assert.match(answer.get("code"), /^omcp_ac_/);
      assert.deepEqual([answer.get("state"), answer.get("iss")], ["of the app", server.publicURL]);
    });
  }

  it("says where access goes, for an app with a metadata document", async (t) => {
    const link = new URL(app.link());
    link.searchParams.set("client_id", "https://claude.ai/oauth/mcp-oauth-client-metadata");
    link.searchParams.set("redirect_uri", "https://claude.ai/api/mcp/auth_callback");
    const page = await open(t, link.href);
    await fits(page, "known app");
    assert.match(await page.textContent("main"), /Claude[\s\S]*claude\.ai/);
  });

  it("lets the person give less than the app asks for", async (t) => {
    const page = await open(t, app.link());
    await page.getByRole("radio").last().check();
    const chosen = await page.getByRole("radio").evaluateAll((all) => all.map((radio) => [radio.value, radio.checked]));
    assert.deepEqual(chosen.filter(([, checked]) => checked).length, 1);
  });

  it("tells the app when the person denies", async (t) => {
    const page = await open(t, app.link());
    await page.getByRole("button", { name: "Deny" }).click();
    await page.waitForURL(/\/callback\?/);
    const answer = app.answer();
    assert.deepEqual([answer.get("error"), answer.get("state"), answer.get("iss"), answer.get("code")], ["access_denied", "of the app", server.publicURL, null]);
  });

  it("explains that the person has cancelled in Outline", async (t) => {
    const page = await open(t, app.link());
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("button", { name: "Isla Renwick" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.waitForURL(/\/oauth\/callback/);
    await fits(page, "cancelled");
  });

  it("survives names that try to look like the page", async (t) => {
    const name = `Outline"> <h1>Allow\u202e everything</h1> ${"Wwwwwwwwww".repeat(4)}`;
    const hostile = await App.register(server, name);
    t.after(() => hostile.close());
    const page = await open(t, hostile.link(), looks["on a phone, light"]);
    await fits(page, "hostile name");
    assert.equal(await page.locator("h1").count(), 1);
    assert.ok(!(await page.textContent("body")).includes("\u202e"));
  });

  for (const [name, change] of Object.entries({
    "an app that is unknown": (link) => link.searchParams.set("client_id", "omcp_client_x"),
    "an address that the app has not registered": (link) => link.searchParams.set("redirect_uri", "https://client.example/cb"),
    "a request without PKCE": (link) => link.searchParams.delete("code_challenge"),
    "a login that nobody began": (link) => { link.pathname = "/oauth/callback"; link.search = "?code=x&state=y"; },
  })) {
    it(`explains ${name}, and leads nowhere`, async (t) => {
      const link = new URL(app.link());
      change(link);
      const page = await open(t, link.href, looks["on a phone, dark"]);
      assert.equal(new URL(page.url()).origin, server.publicURL);
      await fits(page, name);
    });
  }

  it("cannot be put into a frame", async (t) => {
    const context = await browser.newContext();
    t.after(() => context.close());
    const page = await context.newPage();
    await page.goto(app.redirect);
    await page.setContent(`<iframe src="${app.link().replaceAll("&", "&amp;")}"></iframe>`);
    const frame = await (await page.waitForSelector("iframe")).contentFrame();
    await frame.waitForURL(/chrome-error/);
  });
});

// fits asserts that a page has no violations that axe finds, no scripts, a title, and fits
// the width of the screen; and takes its picture.
async function fits(page, name) {
  const folder = process.env.SCREENSHOTS;
  if (folder) await page.screenshot({ path: join(folder, `${name.replaceAll(/\W+/g, "-")}.png`), fullPage: true });
  const { violations } = await page.evaluate(`${axe.source}; axe.run()`);
  assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), [], name);
  const [wide, has] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
  assert.ok(wide <= has, `${name} is ${wide} pixels wide on ${has}`);
  assert.deepEqual([await page.locator("script").count(), (await page.title()) !== ""], [0, true], name);
}

// press moves the focus to a button with the Tab key and presses Enter.
async function press(page, name) {
  const button = page.getByRole("button", { name, exact: true });
  await button.waitFor();
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press("Tab");
    if (await button.evaluate((element) => element === document.activeElement)) return page.keyboard.press("Enter");
  }
  assert.fail(`${name} cannot be reached with the Tab key`);
}

// An App is a registered client with a page that gets its answers.
class App {
  static async register(server, name) {
    const app = new App();
    app.server = server;
    app.listener = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url, app.redirect);
      if (pathname === "/callback") app.last = searchParams;
      response.setHeader("Content-Type", "text/html").end("<!DOCTYPE html><title>Done</title>");
    });
    await new Promise((resolve) => app.listener.listen(0, "127.0.0.1", resolve));
    app.redirect = `http://127.0.0.1:${app.listener.address().port}/callback`;
    const registration = await fetch(new URL("/oauth/register", server.publicURL), {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ client_name: name, redirect_uris: [app.redirect] }),
    });
    app.id = (await registration.json()).client_id;
    return app;
  }

  // link returns the URL at which the app sends a person's browser.
  link() {
    return new URL(`/oauth/authorize?${new URLSearchParams({
      client_id: this.id, redirect_uri: this.redirect, response_type: "code", state: "of the app", scope: "read write",
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", code_challenge_method: "S256", resource: this.server.url.href,
    })}`, this.server.publicURL).href;
  }

  // answer returns what the app got since the last call.
  answer() {
    const answer = this.last;
    this.last = undefined;
    return answer;
  }

  close() { this.listener.close(); }
}
