// Prints a document: its title and its text, however long it is.
import { Failure, run } from "./outline.js";

interface Part { title: string; text: string; next_start_line?: number }

await run(async (call, document) => {
  for (let line: number | undefined = 1; line; ) {
    try {
      const part: Part = await call<Part>("read_document", { document_id: document, start_line: line });
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
