// Shows every view as people see it in a client with MCP Apps: on a phone and a desktop, light
// and dark. Set SCREENSHOTS to a folder to see them.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Host, looks, passage, skip } from "./host.mjs";

const rtl = "مرحبا";

describe("views", { skip }, () => {
  let host;
  before(async () => { host = await Host.start(); });
  after(() => host?.stop());

  // calls returns one call of each tool that has a view.
  const calls = ({ document }) => ({
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
        const shown = await host.show(t, name, calls(host)[name], { look: settings });
        await shown.says(name === "edit_document" ? "A new passage." : host.document.title.slice(0, 20));
        await shown.fits(`${name} ${look}`);
      });
    }
  }

  it("follow the host from light to dark", async (t) => {
    const shown = await host.show(t, "read_document", calls(host).read_document);
    await shown.says(host.document.title);
    const frame = await shown.frame();
    const colour = () => frame.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await shown.page.evaluate(() => window.bridge.setHostContext({ theme: "dark", styles: { variables: { "--color-background-primary": "#102030", "--color-text-primary": "#f0f0f0" } } }));
    await frame.waitForFunction(() => getComputedStyle(document.documentElement).colorScheme === "dark");
    assert.equal(await colour(), "dark");
    await shown.fits("host in other colours");
  });

  it("show text from right to left", async (t) => {
    const id = await host.create(`${rtl} ${rtl}`, `# ${rtl}\n\n${`${rtl} `.repeat(30)}\n\nleft to right`);
    const shown = await host.show(t, "read_document", { document_id: id }, { look: looks["on a phone, light"], context: { locale: "ar" } });
    await shown.says(rtl);
    await shown.fits("right to left");
  });
});
