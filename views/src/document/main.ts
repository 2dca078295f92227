// The view of a document or a section of one.
import { Problem } from "../shared/answer";
import type { ReadDocumentSectionSuccess, ReadDocumentSuccess } from "../outline";
import { read, readingOf } from "../shared/reader";
import { App } from "../shared/view";

void App.start({
  show(app, answer) {
    if ("content" in answer) {
      const s = answer as unknown as ReadDocumentSectionSuccess;
      const { content, heading, ...rest } = s;
      return read(app, { ...rest, text: content, section: heading, next_start_line: s.next_start_char ? undefined : s.next_start_line });
    }
    if (!("text" in answer)) throw new Problem("The answer has no document to show.");
    read(app, readingOf(answer as unknown as ReadDocumentSuccess));
  },
});
