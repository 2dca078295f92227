// The view of a document.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Host, answerOf, skip } from "./host.mjs";

describe("the view of a document", { skip }, () => {
  let host;
  before(async () => { host = await Host.start(); });
  after(() => host?.stop());

  it("open links through the host alone", async (t) => {
    // Outline stores no such links; an answer could still have them.
    const text = "[away](https://example.com/x) [script](javascript:alert(1)) [data](data:text/html,x)";
    const shown = await host.show(t, "read_document", {}, { answer: answerOf({ ...host.document, text }) });
    await shown.view.getByText("away").click();
    await shown.view.getByText("script").click();
    await shown.view.getByText("data").click();
    assert.deepEqual(shown.opened, ["https://example.com/x"]);
    shown.clean("links");
  });

  it("say calmly that a call has failed", async (t) => {
    const shown = await host.show(t, "read_document", { document_id: "00000000-0000-4000-8000-000000000000" });
    await shown.says(/nothing found/);
    await shown.fits("not found");
  });
});
