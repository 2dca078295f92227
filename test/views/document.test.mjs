// The view of a document: what it renders, and what is beside the text.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { PNG } from "pngjs";
import { Host, answerOf, looks, skip } from "./host.mjs";

const rich = `A paragraph with **bold**, *italic*, ==highlighted== and \`code\`.

## Lists

- [x] Boil the water
- [ ] Add the tea

:::warning
Hot.
:::

## Code

\`\`\`go
func main() { return "tea" } // brew
\`\`\`

\`\`\`mermaid
graph TD
  A --> B
\`\`\`

## Numbers

| Tea | Minutes |
|-----|--------:|
| Green | 2 |
| Black | 4 |

$$
\\frac{a}{b} \\le \\sqrt{2}
$$

The formula $x^2$ within a line.
`;

describe("the view of a document", { skip }, () => {
  let host;
  before(async () => { host = await Host.start({ OUTLINE_TOOLS: "all" }); });
  after(() => host?.stop());

  for (const [look, settings] of Object.entries(looks)) {
    it(`shows what Outline shows ${look}`, async (t) => {
      const shown = await host.show(t, "read_document", { document_id: await host.create("Tea", rich) }, { look: settings });
      const { view } = shown;
      await shown.says("Boil the water");
      assert.deepEqual(await view.getByRole("checkbox").evaluateAll((boxes) => boxes.map((box) => [box.ariaLabel, box.checked, box.disabled])), [["Boil the water", true, true], ["Add the tea", false, true]]);
      assert.equal((await view.getByRole("note", { name: "Warning" }).innerText()).trim(), "Hot.");
      assert.deepEqual(await view.getByRole("group", { name: "Code, go" }).locator("span").evaluateAll((parts) => parts.map((part) => [part.className, part.textContent])),
        [["code-keyword", "func"], ["code-keyword", "return"], ["code-string", `"tea"`], ["code-comment", "// brew"]]);
      assert.match(await view.getByRole("group", { name: "Mermaid diagram, as code" }).innerText(), /A --> B/);
      assert.deepEqual(await view.getByRole("table").getByRole("columnheader").allInnerTexts(), ["Tea", "Minutes"]);
      assert.equal(await view.locator("math").count(), 2);
      assert.ok(await view.locator("math mfrac").evaluate((fraction) => fraction.getBoundingClientRect().height > 0));
      await shown.fits(`rich document ${look}`);
    });
  }

  it("has a contents list that leads to headings and can be skipped", async (t) => {
    const text = Array.from({ length: 40 }, (_, i) => `## Heading ${i}\n\n${"Some text. ".repeat(20)}\n\n`).join("");
    const shown = await host.show(t, "read_document", { document_id: await host.create("Many headings", text) });
    await shown.press("link", "Skip contents");
    const focused = () => shown.view.locator(":focus").evaluate((element) => element.id);
    assert.equal(await focused(), "text");
    await shown.view.getByRole("link", { name: "Heading 39" }).waitFor();
    await shown.press("link", "Heading 30");
    await shown.view.locator("#h-heading-30:focus").waitFor();
    await (await shown.frame()).waitForFunction(() => {
      const { top } = document.getElementById("h-heading-30").getBoundingClientRect();
      return top >= 0 && top < innerHeight;
    });
    await shown.fits("heading of a long document");
  });

  it("has different anchors for headings of the same text", async (t) => {
    const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, text: `## Notes\n\n${"Some text.\n\n".repeat(1000)}`.repeat(3) }) });
    await shown.view.getByRole("link", { name: "Notes" }).nth(2).waitFor();
    assert.deepEqual(await shown.view.locator("article h2").evaluateAll((all) => all.map(({ id }) => id)), ["h-notes", "h-notes-1", "h-notes-2"]);
  });

  it("has headings without gaps, in each part", async (t) => {
    const text = `### A\n\n##### B\n\n### C\n\n${"Some text.\n\n".repeat(1000)}### D\n\n# E\n\n## F`;
    const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, text }) });
    await shown.view.getByRole("link", { name: "F", exact: true }).waitFor();
    assert.deepEqual(await shown.view.locator("article").locator("h2, h3, h4, h5, h6").evaluateAll((all) => all.map((heading) => heading.tagName + heading.textContent)), ["H2A", "H3B", "H2C", "H2D", "H2E", "H3F"]);
  });

  for (const [what, start, line, end, whole] of [
    ["a table", "| a | b |\n|---|---|\n", "| one | two |\n", "", "table"],
    ["a callout", ":::tip\n", "Some text.\n\n", ":::", "[role=note]"],
    ["code", "```\n", "Some text.\n\n", "```", "pre"],
    ["an item of a list", "- one\n\n", "  Some text.\n\n", "- two", "article > ul"],
  ]) {
    it(`does not cut ${what} between parts`, async (t) => {
      const text = `Before.\n\n${start}${line.repeat(1500)}${end}\n\nAfter.`;
      const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, text }) });
      await shown.view.getByText("After.", { exact: true }).waitFor({ state: "attached" });
      assert.equal(await shown.view.locator(whole).count(), 1);
      assert.equal(await shown.view.locator("article > *").count(), 3);
    });
  }

  it("folds the contents list where there is little room", async (t) => {
    const shown = await host.show(t, "read_document", { document_id: await host.create("Folded contents", rich) }, { look: looks["on a phone, light"] });
    await shown.says("Boil the water");
    assert.equal(await shown.view.getByRole("link", { name: "Numbers" }).isVisible(), false);
    await shown.view.locator("summary").focus();
    await shown.page.keyboard.press("Enter");
    await shown.view.getByRole("link", { name: "Numbers" }).click();
    await shown.view.locator("#h-numbers:focus").waitFor();
  });

  it("shows images through read_attachment", async (t) => {
    const id = await host.create("With an image", "Before.\n\nAfter.");
    const png = new PNG({ width: 40, height: 30 });
    await host.structured("upload_attachment", { name: "pot.png", content_base64: PNG.sync.write(png).toString("base64"), document_id: id, insert: "append" });
    const shown = await host.show(t, "read_document", { document_id: id });
    const image = shown.view.getByRole("img");
    await image.waitFor();
    assert.equal(await image.evaluate((element) => element.decode().then(() => element.naturalWidth)), 40);
    await shown.fits("image");
    assert.deepEqual(shown.calls.filter(({ name }) => name === "read_attachment").map(({ arguments: args }) => args.document_id), [id]);
  });

  it("names an image that cannot be loaded", async (t) => {
    const text = "![A pot](/api/attachments.redirect?id=00000000-0000-4000-8000-000000000000)";
    const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, text }) });
    await shown.says("Image: A pot (could not be loaded)");
    await shown.fits("missing image");
  });

  for (const look of ["on a phone, light", "on a desktop, dark"]) {
    it(`shows comments beside their passages ${look}`, async (t) => {
      const id = await host.create("Commented", rich);
      const { comment } = await host.structured("add_comment", { document_id: id, text: "Which tea?", anchor_text: "Add the tea" });
      await host.structured("add_comment", { document_id: id, text: "Green.", parent_comment_id: comment?.id ?? (await host.structured("list_document_comments", { document_id: id })).comments[0].id });
      await host.structured("add_comment", { document_id: id, text: "A comment on all of it." });
      const shown = await host.show(t, "read_document", { document_id: id }, { look: looks[look] });
      await shown.says("3 open comments");
      const mark = shown.view.locator("mark.commented");
      await mark.filter({ hasText: /^Add the tea$/ }).waitFor(); // once it is laid out
      const thread = shown.view.getByRole("group", { name: "2 comments" });
      assert.match(await thread.textContent(), /Which tea\?[^]*Green\./);
      assert.equal(await mark.getAttribute("aria-describedby"), await thread.getAttribute("id"));
      assert.match(await shown.view.getByRole("region", { name: "Comments without a passage" }).textContent(), /A comment on all of it/);
      const [text, beside] = await shown.view.locator("article").evaluate((article) =>
        ["mark.commented", "[role=group]"].map((what) => article.querySelector(what).getBoundingClientRect().toJSON()));
      assert.ok(look.includes("phone") ? beside.y > text.y : beside.x > text.x);
      await shown.fits(`comments ${look}`);
    });
  }

  it("says calmly that comments could not be loaded", async (t) => {
    const shown = await host.show(t, "read_document", { document_id: await host.create("No comments", rich) }, { refuse: { list_document_comments: { isError: true, content: [{ type: "text", text: "list_document_comments: Outline does not answer." }] } } });
    await shown.says("Comments could not be loaded.");
    await shown.fits("comments not loaded");
  });

  it("shows a section, and the rest of a long one on demand", async (t) => {
    const text = `## First\n\n${Array.from({ length: 400 }, (_, i) => `Line ${i} of the first.`).join("\n\n")}\n\n## Second\n\nThe second.`;
    const id = await host.create("With sections", text);
    const args = { document_id: id, heading: "First" };
    const section = await host.structured("read_document_section", args);
    const part = { ...section, content: section.content.split("\n").slice(0, 101).join("\n"), next_start_line: section.start_line + 101 };
    const shown = await host.show(t, "read_document_section", args, { answer: answerOf(part) });
    await shown.says("Section First");
    await shown.says("Line 40 of the first.");
    assert.equal(await shown.view.getByText("Line 60 of the first.").count(), 0);
    await shown.fits("section");
    await shown.press("button", "Show more", "Space");
    await shown.says("Line 60 of the first.");
    assert.equal(await shown.view.getByText("The second.").count(), 0);
    assert.equal(shown.calls.at(-1).name, "read_document_section");
  });

  it("shows no more of a document that has changed", async (t) => {
    const id = await host.create("Changed meanwhile", Array.from({ length: 100 }, (_, i) => `Line ${i}.`).join("\n\n"));
    const shown = await host.show(t, "read_document", { document_id: id, max_lines: 50 });
    await shown.says("Line 20.");
    await host.structured("edit_document", { document_id: id, edits: [{ old_text: "Line 99.", new_text: "The end." }] });
    await shown.press("button", "Show more");
    await shown.says("The document has changed since it was read.");
    await shown.fits("changed meanwhile");
  });

  it("opens Outline through the host", async (t) => {
    const shown = await host.show(t, "read_document", { document_id: host.document.document_id });
    await shown.press("button", "Open in Outline");
    await shown.until(() => shown.opened.length > 0);
    assert.deepEqual(shown.opened, [host.document.url]);
  });

  it("opens links through the host alone", async (t) => {
    // Outline stores no such links; an answer could still have them.
    const text = "[away](https://example.com/x) [script](javascript:alert(1)) [data](data:text/html,x)";
    const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, text }) });
    await shown.view.getByText("script").click();
    await shown.view.getByText("data").click();
    await shown.view.getByText("away").click();
    await shown.until(() => shown.opened.length > 0);
    assert.deepEqual(shown.opened, ["https://example.com/x"]);
    shown.clean("links");
  });

  it("says calmly that a call has failed", async (t) => {
    const shown = await host.show(t, "read_document", { document_id: "00000000-0000-4000-8000-000000000000" });
    await shown.says(/nothing found/);
    await shown.fits("not found");
  });
});
