// Documents that attack a view, or are too large for it.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Host, answerOf, looks, skip } from "./host.mjs";

const markup = [
  `<script>parent.postMessage("x", "*"); fetch("https://evil.example/script")</script>`,
  `<img src="https://evil.example/img" onerror="alert(1)">`, `<svg onload="alert(1)"></svg>`, `<style>* { display: none }</style>`,
  `<iframe src="https://evil.example/frame"></iframe>`, `<a href="javascript:alert(1)">click</a>`, `<form action="https://evil.example/form"><input></form>`,
  `![picture](https://evil.example/picture.png)`, `\u202egnp.exe \u2066hidden`,
  "```html\n<script>alert(1)</script>\n```", "```mermaid\ngraph TD; A[<img src=x onerror=alert(1)>]\n```", "$$\\href{javascript:alert(1)}{x}$$",
];

describe("views of hostile documents", { skip }, () => {
  let host;
  before(async () => { host = await Host.start(); });
  after(() => host?.stop());

  it("run nothing and load nothing", async (t) => {
    const id = await host.create(`<img src=x onerror=alert(1)>`, `Before.\n\n${markup.join("\n\n")}\n\nAfter.`);
    for (const [name, args] of Object.entries({ read_document: {}, edit_document: { edits: [{ old_text: "Before.", new_text: markup[0] }], dry_run: true } })) {
      const shown = await host.show(t, name, { document_id: id, ...args });
      await shown.says(name === "read_document" ? "After." : "parent.postMessage");
      const frame = await shown.frame();
      assert.equal(await frame.locator("script").count(), 1, "the page's own script");
      assert.equal(await frame.locator("iframe, form[action], [onerror], [onload], a[href^='javascript:']").count(), 0);
      await shown.fits(`hostile ${name}`);
      assert.deepEqual(shown.opened, []);
    }
  });

  it("believe no window but that of the host", async (t) => {
    const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, text: "The true text." }) });
    await shown.says("The true text.");
    const forged = { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: answerOf({ ...host.document, text: "The forged text." }) };
    await shown.page.evaluate((forged) => new Promise((resolve) => {
      addEventListener("message", ({ data }) => data === "sent" && resolve());
      const other = document.createElement("iframe");
      other.srcdoc = `<script>parent.frames[0].postMessage(${JSON.stringify(forged)}, "*"); parent.postMessage("sent", "*")</script>`;
      document.body.append(other);
    }), forged);
    // A message of the host comes after it.
    await shown.page.evaluate(() => window.bridge.setHostContext({ theme: "dark" }));
    await (await shown.frame()).waitForFunction(() => document.documentElement.style.colorScheme === "dark");
    assert.equal(await shown.view.getByText("The forged text.").count(), 0);
  });

  it("open no address of a document but those of the web and mail", async (t) => {
    const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, url: "javascript:alert(1)" }) });
    await shown.press("button", "Open in Outline");
    await shown.says("The link could not be opened");
    assert.deepEqual(shown.opened, []);
    shown.clean("address");
  });

  it("read few images at a time, and none twice", async (t) => {
    const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, text: "No image." }) });
    await shown.says("No image.");
    let release;
    shown.refuse = { read_attachment: new Promise((resolve) => { release = () => resolve({ isError: true, content: [{ type: "text", text: "Not found." }] }); }) };
    const ids = Array.from({ length: 12 }, (_, i) => `00000000-0000-4000-8000-0000000000${10 + i}`);
    const text = [...ids, ...ids].map((id) => `![x](/api/attachments.redirect?id=${id})`).join(" ");
    await shown.page.evaluate((result) => window.bridge.sendToolResult(result), answerOf({ ...host.document, text }));
    const read = () => shown.calls.filter(({ name }) => name === "read_attachment").map((call) => call.arguments.attachment_id);
    // Comments are asked for behind the images that are in view.
    while (!shown.calls.some(({ name }) => name === "list_document_comments") || read().length < 4) await shown.page.evaluate(() => new Promise(requestAnimationFrame));
    assert.deepEqual(read(), ids.slice(0, 4));
    release();
    await shown.view.getByText("could not be loaded").nth(23).waitFor();
    assert.deepEqual(read(), ids);
  });

  for (const [what, text] of Object.entries({
    "1 MB of text": "All work and no play makes Jack a dull boy.\n\n".repeat(22_000),
    "a table of 5,000 rows": `| a | b |\n|---|---|\n${"| one | two |\n".repeat(5000)}`,
    "one long line": "x".repeat(300_000),
    "deep nesting": Array.from({ length: 200 }, (_, depth) => `${"  ".repeat(depth)}- level ${depth}`).join("\n"),
  })) {
    it(`show ${what} while they stay usable`, async (t) => {
      const answer = answerOf({ ...host.document, text });
      const shown = await host.show(t, "read_document", {}, { answer, look: looks["on a phone, light"] });
      await shown.press("button", "Open in Outline");
      await shown.until(() => shown.opened.length > 0);
      shown.clean(what);
    });
  }

  it("paint 100 KB within 300 ms", async (t) => {
    const text = "## A heading\n\nSome **text** with `code` and a [link](https://example.com).\n\n- one\n- two\n\n".repeat(1150).slice(0, 100_000);
    const times = [];
    // Other programs on the machine can only make it slower.
    while (times.length < 10 && !(Math.min(...times) <= 300)) {
      const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, text }) });
      await shown.says("A heading");
      const frame = await shown.frame();
      times.push(await (await frame.waitForFunction(() => window.paintedAfter)).jsonValue());
    }
    t.diagnostic(`painted after ${times.map(Math.round)} ms`);
    assert.ok(Math.min(...times) <= 300, `painted after ${times.map(Math.round)} ms`);
  });
});
