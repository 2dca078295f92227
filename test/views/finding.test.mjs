// The view of documents found: lists and trees, reading in place, and choosing for the
// conversation.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Host, looks, skip } from "./host.mjs";

describe("the view of documents found", { skip }, () => {
  let host;
  before(async () => { host = await Host.start(); });
  after(() => host?.stop());

  const showTree = (t, options) => host.show(t, "get_collection_structure", { collection_id: host.document.collection_id }, options);

  // focused returns the text of what has the focus.
  const focused = (shown) => shown.view.locator(":focus").evaluate((element) => element.innerText.trim());

  // keys presses keys one after the other. Tab moves the focus into the frame of the view, which
  // is another process: keys pressed before it has the focus would go to the page.
  const keys = async (shown, ...names) => {
    for (const name of names) {
      await shown.page.keyboard.press(name);
      if (name === "Tab") await shown.view.locator(":focus").waitFor();
    }
  };

  it("marks what a search found", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" });
    const marks = shown.view.locator(".passage mark");
    await marks.first().waitFor();
    for (const mark of await marks.allTextContents()) assert.match(mark, /^deploy$/i);
  });

  it("marks literal text with its lines", async (t) => {
    const id = await host.create("Places", "# Tea (green)\n\nBoil 1.5 l.\n\nBoil 105 l.");
    const shown = await host.show(t, "find_in_documents", { query: "1.5 l", document_id: id });
    await shown.says("1 match in 1 document");
    assert.deepEqual(await shown.view.locator("mark").allTextContents(), ["1.5 l"]);
    await shown.says("Tea (green)");
    await shown.fits("places");
  });

  it("filters by collection with the keyboard", async (t) => {
    const shown = await host.show(t, "list_documents", { limit: 25 });
    const all = await shown.view.getByRole("listitem").count();
    await shown.press("combobox", "Collection", "ArrowDown");
    await shown.view.getByRole("status").filter({ hasText: /^\d+ of \d+ documents shown/ }).waitFor();
    const left = await shown.view.getByRole("listitem").filter({ visible: true }).count();
    assert.ok(left > 0 && left < all, `${left} of ${all} documents`);
    await shown.fits("filtered");
  });

  it("reads a document in place, and goes back to it", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" });
    await shown.press("button", "Onboarding");
    await shown.view.getByRole("button", { name: "Open in Outline" }).waitFor();
    await shown.fits("read in place");
    await shown.press("button", "Back");
    await shown.view.locator(":focus").and(shown.view.getByRole("button", { name: "Onboarding" })).waitFor();
  });

  it("folds a tree with arrow keys, and reads in place", async (t) => {
    const shown = await showTree(t);
    const tree = shown.view.getByRole("tree");
    const first = tree.getByRole("treeitem", { name: "Engineering overview" });
    await first.waitFor();
    await keys(shown, "Tab");
    while (await focused(shown) !== "Engineering overview") await keys(shown, "ArrowDown");
    const all = await tree.getByRole("treeitem").count();
    assert.equal(await first.getAttribute("aria-expanded"), "true");
    await keys(shown, "ArrowLeft");
    assert.equal(await first.getAttribute("aria-expanded"), "false");
    assert.ok(await tree.getByRole("treeitem").count() < all, "folded items are not in the tree");
    await shown.fits("tree folded");
    await keys(shown, "ArrowRight", "ArrowRight");
    assert.equal(await shown.view.locator(":focus").getAttribute("aria-level"), "2");
    while (await focused(shown) !== "Engineering overview") await keys(shown, "ArrowLeft");
    await keys(shown, "End");
    assert.equal(await focused(shown), (await tree.getByRole("treeitem").last().innerText()).trim());
    await keys(shown, "Home", "ArrowUp");
    while (await focused(shown) !== "Local development") await keys(shown, "ArrowDown");
    await keys(shown, "Enter");
    await shown.view.getByRole("button", { name: "Back" }).waitFor();
    await shown.fits("tree read in place");
    await shown.press("button", "Back");
    await tree.waitFor();
    assert.equal(await focused(shown), "Local development");
  });

  it("has one Tab stop in a tree", async (t) => {
    const shown = await showTree(t);
    await shown.view.getByRole("treeitem").first().waitFor();
    await keys(shown, "Tab", "ArrowDown", "ArrowDown");
    assert.equal(await shown.view.locator('[role="treeitem"][tabindex="0"]').count(), 1);
  });

  it("follows the pointer in a tree", async (t) => {
    const shown = await showTree(t);
    const first = shown.view.getByRole("treeitem", { name: "Engineering overview" });
    await first.locator(".twist").click();
    assert.equal(await first.getAttribute("aria-expanded"), "false");
    await first.locator(".check").click();
    assert.equal(await first.getAttribute("aria-selected"), "true");
    await first.getByText(/\w/).first().click();
    await shown.view.getByRole("button", { name: "Back" }).click();
    assert.equal(await first.getAttribute("aria-selected"), "true");
  });

  it("hands chosen documents to the conversation, and takes them back", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" });
    await shown.press("checkbox", /^Choose/, "Space");
    await shown.says("1 document handed to the conversation.");
    await shown.fits("chosen");
    assert.match(shown.contexts.at(-1).content[0].text, /^The user chose these Outline documents:\n- ".+", document_id [0-9a-f-]{36}$/);
    await keys(shown, "Space");
    await shown.says("0 documents handed to the conversation.");
    assert.deepEqual(shown.contexts.at(-1).content, []);
  });

  it("hands documents of a tree to the conversation", async (t) => {
    const shown = await showTree(t);
    await shown.view.getByRole("treeitem").first().waitFor();
    await keys(shown, "Tab", "Space", "ArrowDown");
    await shown.says("1 document handed to the conversation.");
    await keys(shown, "Space");
    await shown.says("2 documents handed to the conversation.");
    assert.equal(await shown.view.getByRole("treeitem", { selected: true }).count(), 2);
    assert.equal(shown.contexts.at(-1).content[0].text.split("\n").length, 3);
    await shown.fits("tree chosen");
  });

  it("sends a message where the host takes nothing else", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" }, { capabilities: { serverTools: {}, message: { text: {} } } });
    await shown.press("checkbox", /^Choose/, "Space");
    await shown.press("button", "Use in the conversation");
    await shown.says("1 document handed to the conversation.");
    assert.match(shown.messages[0][0].text, /document_id/);
    await shown.fits("chosen for a message");
  });

  it("offers no choice where the host takes nothing", async (t) => {
    for (const show of [() => host.show(t, "list_documents", {}, { capabilities: { serverTools: {} } }), () => showTree(t, { capabilities: { serverTools: {} } })]) {
      const shown = await show();
      await shown.view.getByRole("heading", { level: 1 }).filter({ visible: true }).waitFor();
      assert.equal(await shown.view.locator("input, .check, [aria-selected]").count(), 0);
      await shown.fits("nothing to choose");
    }
  });

  it("reads nothing where the host calls no tools", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" }, { capabilities: {} });
    await shown.says(host.document.title);
    assert.equal(await shown.view.getByRole("button").count(), 0);
    await shown.fits("nothing to read");
  });

  it("shows titles from right to left", async (t) => {
    const title = "خطة النشر";
    await host.create(title, "نص قصير عن النشر.");
    const shown = await host.show(t, "search_documents", { query: "النشر" }, { look: looks["on a phone, dark"], context: { locale: "ar" } });
    await shown.says(title);
    assert.doesNotMatch(await shown.view.locator("main").innerText(), /U\+200F/);
    await shown.fits("found from right to left");
    const tree = await showTree(t, { look: looks["on a phone, light"] });
    const row = tree.view.getByRole("treeitem", { name: title });
    await row.waitFor();
    assert.equal(await row.evaluate((element) => getComputedStyle(element).direction), "rtl");
    await tree.fits("tree from right to left");
  });

  it("says that nothing was found", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "zzzzzzzz" });
    await shown.says("Nothing found.");
    await shown.fits("nothing found");
  });

  for (const [what, call] of Object.entries({
    "that Outline does not answer": { isError: true, content: [{ type: "text", text: "read_document: Outline does not answer." }] },
    "what a failed call says in structured content": { isError: true, content: [], _meta: { "outline-mcp/structuredContent": { error: "not_found", message: "Outline does not answer." } } },
  })) {
    it(`says calmly ${what}`, async (t) => {
      const shown = await host.show(t, "search_documents", { query: "deploy" }, { refuse: { read_document: call } });
      await shown.press("button", host.document.title);
      await shown.says("Outline does not answer.");
      const { top, bottom, height } = await shown.view.getByRole("status").evaluate((status) => ({ ...status.getBoundingClientRect().toJSON(), height: innerHeight }));
      assert.ok(top >= 0 && bottom <= height, `the message is at ${top} to ${bottom} of ${height}`);
      await shown.view.locator(":focus").and(shown.view.getByRole("button", { name: host.document.title })).waitFor();
      await shown.fits("failed in place");
    });
  }
});
