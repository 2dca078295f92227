// Archives the documents that a file lists, one ID, slug or URL per line.
import { lines, run } from "./outline.js";

await run(async (call, path) => {
  const documents = await lines(path);
  let failed = 0;
  for (let start = 0; start < documents.length; start += 100) {
    const answer = await call("batch_archive_documents", { document_ids: documents.slice(start, start + 100) });
    for (const item of answer.results) {
      if (item.status === "success") console.log("archived", item.id, item.title);
      else if (item.code === "not_found") console.log("gone already", item.id);
      else {
        console.log("FAILED", item.id, item.code, item.error);
        failed++;
      }
    }
  }
  return failed > 0 ? 1 : 0;
}, "FILE");
