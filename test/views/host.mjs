// A host of views: an MCP client of the program with its embedded workspace, and a page in
// Chromium that shows a view in a frame with the official AppBridge. No request of the
// page reaches the network.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import axe from "axe-core";
import assert from "node:assert/strict";
import { build } from "esbuild";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { join } from "node:path";

const binary = process.env.OUTLINE_MCP_BINARY;
assert.ok(binary, "set OUTLINE_MCP_BINARY to the program to test");

const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell";
export const skip = existsSync(executablePath) ? false : `needs Chromium, at ${executablePath} or $CHROMIUM`;

const mimeType = "text/html;profile=mcp-app";
const [hostURL, viewURL] = ["https://host.example/", "https://view.example/"];

// policy is what hosts have to send if a page declares no domains (SEP-1865).
const policy = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

export const looks = {
  "on a phone, light": { viewport: { width: 320, height: 640 }, colorScheme: "light" },
  "on a phone, dark": { viewport: { width: 320, height: 640 }, colorScheme: "dark" },
  "on a desktop, light": { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  "on a desktop, dark": { viewport: { width: 1280, height: 800 }, colorScheme: "dark" },
};

// answerOf returns an answer with structured content, as the server gives it to views.
export const answerOf = (structured) => ({ content: [{ type: "text", text: "" }], _meta: { "outline-mcp/structuredContent": structured } });

// passage returns a line that occurs once in a text.
export const passage = (text) => text.split("\n").find((line) => line.length > 30 && !/[[|*_`]/.test(line) && text.split(line).length === 2);

// Host runs the program and shows its views. Its document is one of the workspace.
export class Host {
  // start starts the program with settings, the client and the browser.
  static async start(settings = {}) {
    const host = new Host();
    host.client = new Client({ name: "views-test", version: "1" }, { capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [mimeType] } } } });
    await host.client.connect(new StdioClientTransport({ command: binary, args: ["--demo"], env: settings, stderr: "ignore" }));
    const { tools } = await host.client.listTools();
    host.tools = new Map(tools.map((tool) => [tool.name, tool]));
    const { results } = await host.structured("search_documents", { query: "deploy" });
    host.document = await host.structured("read_document", { document_id: results[0].document_id });
    [host.browser, { outputFiles: [{ text: host.script }] }] = await Promise.all([
      chromium.launch({
        executablePath, args: ["--disable-lcd-text", "--font-render-hinting=none", ...(process.getuid() === 0 ? ["--no-sandbox"] : [])],
        env: { ...process.env, FONTCONFIG_FILE: join(import.meta.dirname, "fonts.conf") },
      }),
      build({ entryPoints: ["page.mjs"], absWorkingDir: import.meta.dirname, bundle: true, write: false, format: "iife", platform: "browser", logLevel: "error" }),
    ]);
    return host;
  }

  async stop() {
    await this.browser?.close();
    await this.client?.close();
  }

  // structured calls a tool and returns its structured content.
  async structured(name, args = {}) {
    const { _meta, content, isError } = await this.client.callTool({ name, arguments: args });
    assert.ok(!isError, content[0]?.text);
    return _meta["outline-mcp/structuredContent"];
  }

  // create adds a document to the collection of host.document and returns its ID.
  async create(title, text) {
    const { document_id } = await this.structured("create_document", { title, text, collection_id: this.document.collection_id });
    return document_id;
  }

  // show calls a tool and shows its view. answer replaces what the tool answers, capabilities
  // what the host can do; the calls of tools in refuse get that result.
  async show(t, name, args, { look = looks["on a desktop, light"], answer, context = {}, capabilities, refuse } = {}) {
    const uri = this.tools.get(name)._meta.ui.resourceUri;
    const { contents: [{ text: html, mimeType: type, _meta }] } = await this.client.readResource({ uri });
    assert.deepEqual([type, _meta.ui.csp], [mimeType, undefined]);

    const browserContext = await this.browser.newContext(look);
    t.after(() => browserContext.close());
    browserContext.setDefaultTimeout(30_000);
    const page = await browserContext.newPage();
    const shown = new Shown(page, this, refuse);
    await page.route("**/*", (route) => {
      switch (route.request().url()) {
        case hostURL:
          return route.fulfill({ contentType: "text/html", body: `<!DOCTYPE html><html lang="en"><title>Host</title><style>body { margin: 0 } iframe { border: 0; width: 100% }</style><main><h1 hidden>Host</h1><iframe title="View"></iframe></main>` });
        case viewURL:
          return route.fulfill({ contentType: "text/html; charset=utf-8", headers: { "Content-Security-Policy": policy }, body: html });
      }
      shown.left.push(route.request().url());
      return route.abort();
    });
    page.on("console", (message) => { if (message.type() === "error") shown.errors.push(message.text()); });
    page.on("pageerror", (error) => shown.errors.push(String(error)));
    page.on("dialog", (dialog) => { shown.errors.push(`dialog: ${dialog.message()}`); return dialog.dismiss(); });
    await browserContext.addInitScript(timePaint);
    await page.exposeFunction("hostCalls", async (method, params) => shown.answer(method, params));
    await page.goto(hostURL);
    await page.addScriptTag({ content: this.script });
    const result = answer ?? await this.client.callTool({ name, arguments: args });
    await page.evaluate((start) => window.show(start), {
      url: viewURL, tool: this.tools.get(name), args, result, capabilities,
      context: { theme: look.colorScheme, displayMode: "inline", locale: "en", platform: "web", containerDimensions: { maxWidth: look.viewport.width, maxHeight: 5000 }, ...context },
    });
    return shown;
  }
}

// timePaint sets paintedAfter, in a view: the milliseconds from the answer until it is painted.
function timePaint() {
  addEventListener("message", ({ data }) => {
    if (data?.method !== "ui/notifications/tool-result") return;
    const from = performance.now();
    requestAnimationFrame(() => setTimeout(() => { window.paintedAfter = performance.now() - from; }));
  });
}

// Shown is a view that a page shows, and what it has asked the host for.
class Shown {
  calls = []; // of tools: name and arguments
  opened = []; // links
  messages = []; // to the conversation
  contexts = []; // for the model
  left = []; // URLs of requests that left the page
  errors = []; // of scripts, and violations of the policy

  constructor(page, host, refuse) {
    Object.assign(this, { page, host, refuse });
    this.view = page.frameLocator("iframe");
  }

  // frame returns the frame of the view.
  async frame() { return (await this.page.waitForSelector("iframe")).contentFrame(); }

  async answer(method, params) {
    switch (method) {
      case "tools/call":
        this.calls.push({ name: params.name, arguments: params.arguments });
        return this.refuse?.[params.name] ?? this.host.client.callTool(params);
      case "resources/read": return this.host.client.readResource(params);
      case "ui/open-link": this.opened.push(params.url); return {};
      case "ui/message": this.messages.push(params.content); return {};
      case "ui/update-model-context": this.contexts.push(params); return {};
      case "ui/request-display-mode": return { mode: "inline" };
    }
    throw new Error(`unexpected request ${method}`);
  }

  // says waits until the view shows a text.
  says(text) { return this.view.getByText(text).first().waitFor(); }

  // until waits until a condition holds, for 10 seconds at most.
  async until(holds) {
    for (let i = 0; i < 200 && !holds(); i++) await this.page.waitForTimeout(50);
    assert.ok(holds(), String(holds));
  }

  // press moves the focus to a control of the view with the Tab key and presses a key.
  async press(role, name, key = "Enter") {
    const control = this.view.getByRole(role, { name });
    await control.first().waitFor();
    for (let i = 0; i < 60; i++) {
      await this.page.keyboard.press("Tab");
      if (await control.first().evaluate((element) => element === document.activeElement)) return this.page.keyboard.press(key);
    }
    assert.fail(`${role} ${name} cannot be reached with the Tab key`);
  }

  // screenshot returns a picture of the view, when it has stopped changing.
  async screenshot() {
    let last, now;
    do [last, now] = [now, await this.page.locator("iframe").screenshot({ animations: "disabled" })];
    while (!last?.equals(now));
    return now;
  }

  // fits asserts that the view has no violations that axe finds, fits the width, and has
  // asked nobody but the host for anything. With SCREENSHOTS, it leaves a screenshot there.
  async fits(name) {
    const frame = await this.frame();
    if (process.env.SCREENSHOTS) await this.page.screenshot({ path: join(process.env.SCREENSHOTS, `${name.replaceAll(/\W+/g, "-")}.png`), fullPage: true });
    const { violations } = await frame.evaluate(`${axe.source}; axe.run({ resultTypes: ["violations"], rules: { "label-content-name-mismatch": { enabled: true } } })`);
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), [], name);
    const [wide, has] = await frame.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(wide <= has, `${name} is ${wide} pixels wide on ${has}`);
    this.clean(name);
  }

  // clean asserts that nothing left the page and no script failed.
  clean(name) { assert.deepEqual([this.left, this.errors], [[], []], name); }
}
