// The view of a difference: what it shows, and what its buttons do.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Host, skip } from "./host.mjs";

describe("the view of a difference", { skip }, () => {
  let host;
  before(async () => { host = await Host.start(); });
  after(() => host?.stop());

  it("apply a dry run with the keyboard, and undo it", async (t) => {
    const id = await host.create("To be edited", "The first line.\n\nThe second line.");
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
    const id = await host.create("Edited by two", "The first line.\n\nThe second line.");
    const shown = await host.show(t, "edit_document", { document_id: id, edits: [{ old_text: "second", new_text: "last" }], dry_run: true });
    await host.structured("edit_document", { document_id: id, edits: [{ old_text: "first", new_text: "other" }] });
    await shown.press("button", "Apply");
    await shown.view.getByRole("status").filter({ hasText: /revision|changed/i }).waitFor();
    await shown.fits("edited by two");
    assert.doesNotMatch((await host.structured("read_document", { document_id: id })).text, /The last line/);
  });

  it("discard a dry run", async (t) => {
    const id = await host.create("Not to be edited", "The first line.");
    const shown = await host.show(t, "edit_document", { document_id: id, edits: [{ old_text: "first", new_text: "last" }], dry_run: true });
    await shown.press("button", "Discard");
    await shown.fits("discarded");
    assert.deepEqual(shown.calls, []);
    assert.equal(await shown.view.getByRole("button", { name: "Apply" }).count(), 0);
  });
});
