// Lists the documents about a topic that have not changed since a given day.
import { run } from "./outline.js";

interface Page {
  results: { document_id: string; title: string; updated_at: string }[];
  next_offset?: number;
}

await run(async (call, query, day) => {
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: Page = await call<Page>("search_documents", { query, detail_level: "full", limit: 100, offset });
    for (const document of page.results) {
      // Times are RFC 3339 in UTC: they sort as text.
      if (document.updated_at < day) console.log(document.updated_at.slice(0, 10), document.document_id, document.title);
    }
    offset = page.next_offset;
  }
  return 0;
}, "QUERY DAY");
