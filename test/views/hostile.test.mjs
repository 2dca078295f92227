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

  for (const [what, text] of Object.entries({
    "1 MB of text": "All work and no play makes Jack a dull boy.\n\n".repeat(22_000),
    "a table of 5,000 rows": `| a | b |\n|---|---|\n${"| one | two |\n".repeat(5000)}`,
    "one long line": "x".repeat(300_000),
    "deep nesting": Array.from({ length: 200 }, (_, depth) => `${"  ".repeat(depth)}- level ${depth}`).join("\n"),
  })) {
    it(`show ${what} while they stay usable`, async (t) => {
      const answer = answerOf({ ...host.document, text });
      const shown = await host.show(t, "read_document", {}, { answer, look: looks["on a phone, light"] });
      await shown.says(host.document.title);
      shown.clean(what);
    });
  }

  it("paint 100 KB within 300 ms", async (t) => {
    const text = "## A heading\n\nSome **text** with `code` and a [link](https://example.com).\n\n- one\n- two\n\n".repeat(1150).slice(0, 100_000);
    const times = [];
    for (let i = 0; i < 3; i++) {
      const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, text }) });
      await shown.says("A heading");
      const frame = await shown.frame();
      times.push(await (await frame.waitForFunction(() => window.paintedAfter)).jsonValue());
    }
    assert.ok(Math.min(...times) <= 300, `first paint after ${times.map(Math.round)} ms`);
  });
});
