// Creates a document for each row of a CSV file with the columns title and text.
import { readFile } from "node:fs/promises";
import { type Item, run } from "./outline.js";

/** Splits CSV into rows: quotes hold commas, line breaks and doubled quotes (RFC 4180). */
function parse(csv: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of csv.replace(/^\ufeff/, "").matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows[rows.length - 1].push(quoted?.replaceAll('""', '"') ?? plain);
    if (end !== ",") rows.push([]);
  }
  return rows.filter((row) => row.length > 1);
}

await run(async (call, path, collection) => {
  const [header, ...rows] = parse(await readFile(path, "utf8"));
  const documents = rows.map((row) => ({
    title: row[header.indexOf("title")],
    text: row[header.indexOf("text")],
    collection_id: collection,
  }));
  let failed = 0;
  for (let start = 0; start < documents.length; start += 25) { // Outline allows 25 a minute
    const answer = await call<{ results: Item[] }>("batch_create_documents", { documents: documents.slice(start, start + 25) });
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
