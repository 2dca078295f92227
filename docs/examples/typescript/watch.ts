// Moves the documents that a file lists to a collection, and retries the failures that are safe to retry.
import { setTimeout as sleep } from "node:timers/promises";
import { type Call, lines, run } from "./outline.js";

// With these codes, nothing was done. After outcome_unknown, check first.
const mayRetry = new Set(["rate_limited", "not_attempted"]);

await run(async (call, path, collection) => {
  const documents = await lines(path);
  let failed = 0;
  for (let start = 0; start < documents.length; start += 100) { // a batch takes 100
    failed += await move(call, documents.slice(start, start + 100), collection);
  }
  return failed > 0 ? 1 : 0;
}, "FILE COLLECTION");

/** Moves documents and returns how many could not be moved. */
async function move(call: Call, documents: string[], collection: string): Promise<number> {
  let failed = 0;
  for (let attempt = 1; documents.length > 0; attempt++) {
    const { results } = await call("batch_move_documents", { document_ids: documents, collection_id: collection });
    const again = results.filter((item) => mayRetry.has(item.code ?? "") && attempt < 5);
    for (const item of results) {
      if (item.status === "success") console.log("moved", item.id);
      else if (again.includes(item)) console.log("once more", item.id, item.code);
      else {
        console.log("FAILED", item.id, item.code);
        failed++;
      }
    }
    documents = again.map((item) => documents[item.index]);
    await sleep(1000 * Math.max(0, ...again.map((item) => item.retry_after_seconds ?? 1)));
  }
  return failed;
}
