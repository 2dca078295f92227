// Creates a document for each row of a CSV file with the columns title and text.
import { parse } from "csv-parse/sync";
import { run, text as textIn } from "./outline.js";

await run(async (call, path, collection) => {
  // A malformed row is an error before anything is created.
  const rows: Record<string, string>[] = parse(await textIn(path), { columns: true, skip_empty_lines: true });
  const documents = rows.map(({ title, text }) => ({ title, text, collection_id: collection }));
  if (documents.some(({ title, text }) => title === undefined || text === undefined)) throw new Error(`${path} needs the columns title and text`);
  let failed = 0;
  for (let start = 0; start < documents.length; start += 25) { // Outline allows 25 a minute
    const answer = await call("batch_create_documents", { documents: documents.slice(start, start + 25) });
    for (const item of answer.results) {
      if (item.status === "success") console.log("created", item.id, item.title);
      else {
        console.log("FAILED", documents[start + item.index].title, item.code, item.error);
        failed++;
      }
    }
  }
  return failed > 0 ? 1 : 0;
}, "CSV COLLECTION");
