// The view of a difference: what it shows, and what its buttons do, with the keyboard.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Host, looks, skip } from "./host.mjs";

// long has 60 lines, of which line 10 has bold text, and line 51 a word that occurs once.
const long = Array.from({ length: 30 }, (_, i) => (i === 4 ? "Pay **€60** a pot." : i === 25 ? "The penultimate lines." : `Line number ${i}.`)).join("\n\n");
const edits = [{ old_text: "€60", new_text: "€75" }, { old_text: "penultimate", new_text: "very last" }];

describe("the view of a difference", { skip }, () => {
  let host;
  before(async () => { host = await Host.start(); });
  after(() => host?.stop());

  const textOf = async (id) => (await host.structured("read_document", { document_id: id })).text;

  // lines returns the text of the lines of a kind, and what is marked in them.
  const lines = (shown, kind) => shown.view.locator(`td.${kind} > .line`).evaluateAll((all) => all.map((line) => [line.innerText.trim(), ...[...line.querySelectorAll("ins, del")].map((mark) => mark.innerText)]));

  it("shows the words that differ, with the formatting of the document", async (t) => {
    const shown = await host.show(t, "edit_document", { document_id: await host.create("Prices", long), edits, dry_run: true });
    await shown.says("Proposed changes to revision");
    assert.deepEqual(await lines(shown, "removed"), [["Pay €60 a pot.", "60"], ["The penultimate lines.", "penultimate"]]);
    assert.deepEqual(await lines(shown, "added"), [["Pay €75 a pot.", "75"], ["The very last lines.", "very last"]]);
    assert.equal(await shown.view.locator("td.added strong").innerText(), "€75");
    await shown.press("checkbox", "Formatting", "Space");
    assert.deepEqual((await lines(shown, "added"))[0], ["Pay **€75** a pot.", "75"]);
    await shown.fits("difference as source");
  });

  it("shows both texts side by side", async (t) => {
    const shown = await host.show(t, "edit_document", { document_id: await host.create("Side by side", long), edits, dry_run: true });
    await shown.press("checkbox", "Side by side", "Space");
    const row = shown.view.getByRole("row").filter({ hasText: "€75" });
    assert.deepEqual(await row.getByRole("cell").evaluateAll((cells) => cells.map((cell) => cell.innerText.replace(/\s+/g, " ").trim())), ["9", "− Removed: Pay €60 a pot.", "9", "+ Added: Pay €75 a pot."]);
    await shown.fits("side by side");
    await shown.page.setViewportSize(looks["on a phone, light"].viewport);
    await shown.view.locator("table.difference:not(.side-by-side)").waitFor();
    await shown.fits("side by side without room");
  });

  it("folds unchanged parts, and shows them on demand", async (t) => {
    const shown = await host.show(t, "edit_document", { document_id: await host.create("Folded", long), edits, dry_run: true });
    await shown.says("The very last lines.");
    assert.equal(await shown.view.getByText("Line number 15.").count(), 0);
    await shown.press("button", /^Show \d+ unchanged lines$/);
    await shown.says("Line number 0.");
    await shown.press("button", /^Show \d+ unchanged lines$/);
    await shown.says("Line number 15.");
    await shown.press("button", "Show the rest of the document");
    await shown.says("Line number 29.");
    await shown.view.getByRole("button", { name: /^Show/ }).waitFor({ state: "detached" });
    const numbers = await shown.view.locator("tr.same td.number:first-child").evaluateAll((cells) => cells.map((cell) => Number(cell.innerText)));
    assert.deepEqual(numbers, Array.from({ length: 59 }, (_, i) => i + 1).filter((n) => n !== 9 && n !== 51));
    await shown.fits("unfolded");
  });

  it("applies a dry run, and undoes it", async (t) => {
    const id = await host.create("To be edited", long);
    const before = await textOf(id);
    const shown = await host.show(t, "edit_document", { document_id: id, edits, dry_run: true });
    const { revision } = await host.structured("read_document", { document_id: id });
    await shown.press("button", "Apply");
    await shown.says("Applied.");
    await shown.says("2 edits applied, now revision");
    await shown.fits("applied");
    assert.deepEqual(shown.calls, [{ name: "edit_document", arguments: { document_id: id, edits, expected_revision: revision } }]);
    assert.match(await textOf(id), /€75[^]*very last/);
    await shown.press("button", "Undo");
    await shown.says("Undone.");
    await shown.fits("undone");
    assert.equal(await textOf(id), before);
    assert.match(shown.contexts.at(-1).content[0].text, /undid the change of document "To be edited"/);
  });

  it("applies nothing after a change by another user", async (t) => {
    const id = await host.create("Edited by two", "The first line.\n\nThe second line.");
    const shown = await host.show(t, "edit_document", { document_id: id, edits: [{ old_text: "second", new_text: "last" }], dry_run: true });
    await host.structured("edit_document", { document_id: id, edits: [{ old_text: "first", new_text: "other" }] });
    await shown.press("button", "Apply");
    await shown.view.getByRole("status").filter({ hasText: /revision|changed/i }).waitFor();
    await shown.fits("edited by two");
    assert.doesNotMatch(await textOf(id), /The last line/);
    assert.equal(await shown.view.getByRole("button", { name: "Apply" }).evaluate((button) => button === document.activeElement), true);
  });

  it("undoes nothing after a change by another user", async (t) => {
    const id = await host.create("Undone by none", "The first line.\n\nThe second line.");
    const shown = await host.show(t, "edit_document", { document_id: id, edits: [{ old_text: "second", new_text: "last" }] });
    await shown.says("1 edit applied");
    await host.structured("edit_document", { document_id: id, edits: [{ old_text: "first", new_text: "other" }] });
    await shown.press("button", "Undo");
    await shown.view.getByRole("status").filter({ hasText: /revision|changed/i }).waitFor();
    await shown.fits("not undone");
    assert.equal(await textOf(id), "The other line.\n\nThe last line.");
  });

  it("discards a dry run", async (t) => {
    const id = await host.create("Not to be edited", "The first line.");
    const shown = await host.show(t, "edit_document", { document_id: id, edits: [{ old_text: "first", new_text: "last" }], dry_run: true });
    await shown.press("button", "Discard");
    await shown.says("Discarded. Nothing was written.");
    await shown.fits("discarded");
    assert.deepEqual(shown.calls, []);
    assert.equal(await shown.view.getByRole("button", { name: "Apply" }).count(), 0);
  });

  it("offers nothing that the host cannot do", async (t) => {
    const id = await host.create("Only shown", long);
    const shown = await host.show(t, "edit_document", { document_id: id, edits, dry_run: true }, { capabilities: {} });
    await shown.says("The very last lines.");
    assert.deepEqual(await shown.view.getByRole("button").allInnerTexts(), []);
    await shown.fits("host without capabilities");
  });

  for (const [what, args] of [
    ["replaces", { text: "The first line.\n\nAnother line." }],
    ["appends to", { text: "\n\nAnother line.", append: true }],
  ]) {
    it(`shows what update_document ${what}, and undoes it`, async (t) => {
      const text = "The first line.\n\nThe second line.";
      const id = await host.create("To be updated", text);
      const shown = await host.show(t, "update_document", { document_id: id, ...args });
      await shown.says("Another line.");
      assert.ok((await lines(shown, "added")).some(([line]) => line === "Another line."));
      await shown.fits(`update_document ${what}`);
      await shown.press("button", "Undo");
      await shown.says("Undone.");
      assert.equal(await textOf(id), text);
      shown.clean("undone update");
    });
  }

  it("compares a revision with another", async (t) => {
    const id = await host.create("Compared", long);
    const { earlier_revision_id: revision } = await host.structured("edit_document", { document_id: id, edits });
    const shown = await host.show(t, "read_revision", { revision_id: revision, compare_with: "current" });
    await shown.says("2 lines added, 2 lines removed.");
    assert.deepEqual((await lines(shown, "added")).map(([line]) => line), ["Pay €75 a pot.", "The very last lines."]);
    await shown.press("button", /^Show \d+ unchanged lines$/);
    await shown.says("Line number 0.");
    await shown.fits("read_revision");
  });

  it("shows a revision, and compares it with the current text", async (t) => {
    const id = await host.create("A revision", long);
    const { earlier_revision_id: revision } = await host.structured("edit_document", { document_id: id, edits });
    const shown = await host.show(t, "read_revision", { revision_id: revision });
    await shown.says("Line number 29.");
    await shown.fits("a revision");
    await shown.press("button", "Compare with the current text");
    await shown.says("2 lines added, 2 lines removed.");
    await shown.fits("a revision compared");
  });

  it("shows what restoring a revision changed, and undoes it", async (t) => {
    const id = await host.create("Set back", long);
    const { earlier_revision_id: revision } = await host.structured("edit_document", { document_id: id, edits });
    const changed = await textOf(id);
    const shown = await host.show(t, "restore_document", { document_id: id, revision_id: revision });
    await shown.says("Set back to an earlier revision");
    assert.deepEqual((await lines(shown, "added")).map(([line]) => line), ["Pay €60 a pot.", "The penultimate lines."]);
    await shown.fits("restore_document");
    await shown.press("button", "Undo");
    await shown.says("Undone.");
    assert.equal(await textOf(id), changed);
  });

  it("says that a document was restored from the trash", async (t) => {
    const id = await host.create("In the trash", long);
    await host.structured("delete_document", { document_id: id });
    const shown = await host.show(t, "restore_document", { document_id: id });
    await shown.says("Restored.");
    await shown.fits("restored from the trash");
  });

  it("shows a change of a text from right to left", async (t) => {
    const id = await host.create("مستند", "السطر الأول هنا.\n\nالسطر الثاني هنا.");
    const shown = await host.show(t, "edit_document", { document_id: id, edits: [{ old_text: "الثاني", new_text: "الأخير" }], dry_run: true }, { look: looks["on a phone, dark"], context: { locale: "ar" } });
    await shown.says("Proposed changes to revision");
    assert.deepEqual(await lines(shown, "added"), [["السطر الأخير هنا.", "الأخير"]]);
    assert.equal(await shown.view.locator("td.added > .line").getAttribute("dir"), "rtl");
    await shown.fits("difference from right to left");
  });
});
