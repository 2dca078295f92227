// Compares each view with its pictures in docs/views: on a phone and a desktop, light and dark,
// and with text from right to left. npm run pictures writes those that differ.
import { after, before, describe, it } from "node:test";
import { Host, looks, skip } from "./host.mjs";
import { complete, resembles } from "./pictures.mjs";

const soup = "1wPyxUCdt9", runbook = "A5wBbNFfLQ"; // documents of the sample workspace

// Each view shows the answer of a call; the last text that appears says that it is all there.
const views = {
  difference: ["edit_document", { document_id: soup, edits: [{ old_text: "€60 a pot", new_text: "€75 a pot" }], dry_run: true }, "The rest of the document"],
  document: ["read_document", { document_id: runbook }, /open comments$/],
  finding: ["search_documents", { query: "silent buoy", limit: 5 }, "Runbooks"],
};

const arabic = {
  title: "حساء الجمعة",
  text: `يُقدَّم الحساء يوم الجمعة الساعة 12:30. يطبخ شخصان ويغسل الباقون الأطباق.

## القواعد

* الميزانية: 60 يورو لكل قدر.
* قدر واحد دائمًا بلا لحم.

| اليوم | من يطبخ |
|---|---|
| 11 سبتمبر | Hana Weissbach |
| 18 سبتمبر | Bram Tollefsen |
`,
};

describe("pictures", { skip }, () => {
  let host;
  before(async () => { host = await Host.start(); });
  after(() => host?.stop());

  const compare = async (t, name, [tool, args, last], look, answer) => {
    const { viewport: { width } } = look;
    const shown = await host.show(t, tool, args, { look: { ...look, viewport: { width, height: 720 } }, answer, context: { timeZone: "UTC" } });
    await shown.says(last);
    resembles(name, await shown.screenshot(), host.browser.version());
  };

  for (const [name, call] of Object.entries(views)) {
    for (const [look, settings] of Object.entries(looks)) {
      it(`show the ${name} ${look}`, (t) => compare(t, `${name} ${look}`.replaceAll(/( on a|,)? /g, "-"), call, settings));
    }
  }

  it("show a document from right to left", async (t) => {
    const read = await host.structured("read_document", { document_id: soup });
    const answer = { content: [], _meta: { "outline-mcp/structuredContent": { ...read, ...arabic } } };
    await compare(t, "document-right-to-left", ["read_document", {}, "القواعد"], looks["on a phone, light"], answer);
  });

  it("are complete and small", complete);
});
