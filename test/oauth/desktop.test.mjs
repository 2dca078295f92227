// Logs in to Outline from a desktop as a person does: outline-mcp login, the pages in
// Chromium, and then a call of a tool without a key.
import axe from "axe-core";
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { chromium } from "playwright-core";
import { binary, startOutline } from "../login.mjs";

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
const skip = existsSync(executablePath) ? false : `needs Chromium, at ${executablePath} or $CHROMIUM`;

describe("logging in from a desktop", { skip }, () => {
  for (const [decision, heading, code] of [["Authorize", "You are logged in", 0], ["Cancel", "Not logged in", 1]]) {
    it(`ends with "${heading}" after ${decision}`, async (t) => {
      const home = await mkdtemp(join(tmpdir(), "desktop-"));
      const outline = await startOutline("http://127.0.0.1:1");
      const browser = await chromium.launch({ executablePath, args: process.getuid() === 0 ? ["--no-sandbox"] : [] });
      t.after(async () => { await browser.close(); await outline.stop(); await rm(home, { recursive: true }); });
      const env = { HOME: home, OUTLINE_API_URL: outline.settings.OUTLINE_API_URL, DBUS_SESSION_BUS_ADDRESS: "unix:path=/nonexistent" };

      const login = spawn(binary, ["login"], { env, stdio: ["ignore", "pipe", "pipe"] });
      const ended = new Promise((resolve) => login.once("exit", resolve));
      let printed = "";
      login.stdout.on("data", (some) => { printed += some; });
      const address = await new Promise((resolve) => login.stderr.on("data", (some) => {
        printed += some;
        const [found] = printed.match(/http\S+\/oauth\/authorize\?\S+/) ?? [];
        if (found && printed.includes("Waiting")) resolve(found);
      }));

      const page = await (await browser.newContext({ viewport: { width: 320, height: 640 } })).newPage();
      page.setDefaultTimeout(10_000);
      await page.goto(address);
      await page.getByRole("button", { name: "Isla Renwick (admin)" }).click();
      await page.getByRole("button", { name: decision }).click();
      await page.getByRole("heading", { name: heading }).waitFor();
      const { violations } = await page.evaluate(`${axe.source}; axe.run()`);
      assert.deepEqual(violations.map(({ id }) => id), []);
      const [wide, has] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(wide <= has, `the page is ${wide} pixels wide on ${has}`);

      assert.equal(await ended, code, printed);
      assert.ok(!/ol_(at|rt|rat)_/.test(printed), printed);
      if (code !== 0) {
        await assert.rejects(readdir(join(home, ".config", "outline-mcp")), { code: "ENOENT" });
        return;
      }
      const { stdout } = await promisify(execFile)(binary, ["call", "list_collections"], { env });
      assert.match(stdout, /collections/);
      const folder = join(home, ".config", "outline-mcp");
      const [entry] = (await readdir(folder)).filter((name) => name.endsWith(".json"));
      assert.equal((await stat(join(folder, entry))).mode & 0o777, 0o600);
      assert.match(await readFile(join(folder, entry), "utf8"), /"user": "Isla Renwick"/);
    });
  }
});
