// Prints a document: its title and its text, however long it is.
import { Failure, run } from "./outline.js";
import type { ReadDocumentSuccess } from "./tools.js";

await run(async (call, document) => {
  for (let line: number | undefined = 1; line; ) {
    try {
      const part: ReadDocumentSuccess = await call("read_document", { document_id: document, start_line: line });
      if (line === 1) console.log(`# ${part.title}\n`);
      console.log(part.text);
      line = part.next_start_line;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "not_found") throw error;
      console.error(`there is no document ${document}`);
      return 1;
    }
  }
  return 0;
}, "DOCUMENT");
