// Lists the documents about a topic that have not changed since a given day.
import { run } from "./outline.js";
import type { SearchDocumentsSuccess } from "./tools.js";

await run(async (call, query, day) => {
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: SearchDocumentsSuccess = await call("search_documents", { query, detail_level: "full", limit: 100, offset });
    if (page.detail_level === "ids") throw new Error("these results have no times"); // only if you ask for IDs
    for (const document of page.results) {
      // Times are RFC 3339 in UTC: they sort as text.
      if (document.updated_at < day) console.log(document.updated_at.slice(0, 10), document.document_id, document.title);
    }
    offset = page.next_offset;
  }
  return 0;
}, "QUERY DAY");
