// The view of documents found.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Host, skip } from "./host.mjs";

describe("the view of documents found", { skip }, () => {
  let host;
  before(async () => { host = await Host.start(); });
  after(() => host?.stop());

  it("hand chosen documents to the conversation", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" });
    await shown.press("checkbox", /^Choose/, "Space");
    await shown.says("1 document handed to the conversation.");
    await shown.fits("chosen");
    assert.match(shown.contexts[0].content[0].text, /document_id [0-9a-f-]{36}$/);
  });

  it("read a document that was found in place", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" });
    await shown.press("button", host.document.title);
    await shown.view.getByRole("button", { name: "Open in Outline" }).waitFor();
    await shown.fits("read in place");
    await shown.press("button", "Back");
    await shown.view.getByRole("checkbox").first().waitFor();
  });

  it("say calmly that a call of theirs has failed", async (t) => {
    const shown = await host.show(t, "search_documents", { query: "deploy" });
    shown.refuse = { read_document: { isError: true, content: [{ type: "text", text: "read_document: Outline does not answer." }] } };
    await shown.press("button", host.document.title);
    await shown.says("Outline does not answer.");
    await shown.fits("failed in place");
  });
});
