// A document as a reader sees it: title, contents, text, images and comments.
import "./reader.css";
import type { ReadDocumentSuccess } from "../outline";
import { Problem } from "./answer";
import { addComments } from "./comments";
import { Contents } from "./contents";
import { add, button, count, direction, h, name, painted, time } from "./dom";
import { images } from "./images";
import { Outline, render, type Source } from "./render";
import type { App } from "./view";

/** What the reader shows: a document, or a section of one. */
export interface Reading {
  document_id: string;
  title: string;
  text: string;
  revision?: number | undefined;
  url?: string | undefined;
  collection_name?: string | undefined;
  updated_at?: string | undefined;
  updated_by?: string | undefined;
  status?: ReadDocumentSuccess["status"] | undefined;
  /** The line from which more can be read. */
  next_start_line?: number | undefined;
  /** The heading of the section, if it is one. */
  section?: string | undefined;
}

/** The reading that an answer of read_document gives. */
export function readingOf(s: ReadDocumentSuccess): Reading {
  return { ...s, next_start_line: s.next_start_char ? undefined : s.next_start_line };
}

/** Shows a document in place of what the view shows. With back, there is a way back. */
export function read(app: App, reading: Reading, back?: () => void): void {
  const article = h("article", { id: "text", tabindex: -1 });
  const contents = new Contents("text");
  const more = h("div", { class: "actions" });
  const page = h("div", { class: "reader", dir: direction(reading.text) }, header(app, reading, back), contents.nav, h("div", {}, article, more));
  const source: Source = { url: reading.url, image: images(app, reading.document_id), outline: new Outline() };

  let rest = reading.text; // what has been read but is not shown yet
  const append = (limit: number) => {
    const [text, after] = split(rest, limit);
    rest = after;
    const { blocks, headings } = render(text, source);
    article.append(...blocks);
    contents.add(headings);
    return text.length;
  };
  // Each part is painted before the next is rendered.
  const fill = async (already = 0) => {
    for (let shown = already; rest !== "" && shown < shownAtOnce; ) {
      await painted();
      shown += append(part);
    }
    offerMore();
  };
  const offerMore = () => {
    more.replaceChildren();
    if (rest === "" && !reading.next_start_line) return;
    if (rest === "" && !app.canCall) return add(more, h("p", { class: "meta" }, "The document continues in Outline."));
    const control = button("Show more", () => app.run(async () => {
      if (rest === "") rest = await nextPart(app, reading);
      await fill();
      article.focus({ preventScroll: true });
    }, control));
    add(more, control);
  };

  const shown = append(part);
  app.main.replaceChildren(page);
  fill(shown)
    .then(() => (app.canCall ? addComments(app, article, reading.document_id) : 0))
    .then((n) => n > 0 && app.say(count(n, "open comment", "open comments")))
    .catch(() => app.say("Comments could not be loaded."));
}

const part = 8_000; // UTF-16 code units; about two screens
const shownAtOnce = 120_000; // UTF-16 code units; more would make the page slow

/** Splits a text before a paragraph behind about limit code units. */
function split(text: string, limit: number): [shown: string, rest: string] {
  if (text.length <= limit) return [text, ""];
  let at = 0, closing: RegExp | undefined; // what ends the block of several paragraphs that a line is in
  for (const { 0: line, index } of text.slice(0, limit).matchAll(/^.*$/gm)) {
    if (closing) {
      if (closing.test(line)) closing = undefined;
      continue;
    }
    const [opening, fence] = /^\s*(`{3,}|~{3,})|^(?::{3,}|\+{3,}|\$\$(?!.*\$\$))/.exec(line) ?? [];
    if (opening?.startsWith("$$")) closing = /\$\$/;
    else if (opening) closing = new RegExp(`^\\s*\\${(fence ?? opening)[0]}{${(fence ?? opening).length},}\\s*$`);
    // Indented lines go on with the item of a list.
    else if (line === "" && /^\n[^\s]/.test(text.slice(index, index + 2))) at = index;
  }
  // A block longer than the limit is not cut, unless it is as long as a page.
  if (at === 0) return limit < shownAtOnce ? split(text, shownAtOnce) : [text.slice(0, limit), text.slice(limit)];
  return [text.slice(0, at), text.slice(at)];
}

/** Reads the next part of the document and returns its text. */
async function nextPart(app: App, reading: Reading): Promise<string> {
  const start = reading.next_start_line!;
  const place = { document_id: reading.document_id, start_line: start };
  const s = reading.section === undefined
    ? await app.call("read_document", place)
    : await app.call("read_document_section", { ...place, heading: reading.section });
  if (!("revision" in s)) throw new Problem("The rest of the section could not be read.");
  if (s.revision !== reading.revision) throw new Problem("The document has changed since it was read. Ask for it again.");
  reading.next_start_line = s.next_start_char ? undefined : s.next_start_line;
  return "content" in s ? s.content : s.text;
}

function header(app: App, reading: Reading, back?: () => void): HTMLElement {
  const { title, url, section, status } = reading;
  const open = button("Open in Outline", () => (url ? app.open(url) : app.run(async () => {
    const s = await app.call("read_document", { document_id: reading.document_id, max_lines: 1 });
    app.open(s.url);
  }, open)));
  const facts = h("p", { class: "meta", dir: "ltr" }); // it is in English
  if (section !== undefined) add(facts, "Section ", name(section), " · ");
  if (reading.collection_name) add(facts, name(reading.collection_name), " · ");
  if (reading.updated_at) add(facts, "Updated\u00a0", time(reading.updated_at, app.context.locale, app.context.timeZone));
  if (reading.updated_by) add(facts, " by ", name(reading.updated_by));
  if (status && status !== "published") add(facts, " ", h("span", { class: "badge" }, status));
  const heading = h("h1", { dir: direction(title) }, name(title));
  return h("header", {},
    h("div", { class: "actions" }, back && button("Back", back), app.canOpen && (url || app.canCall) && open),
    heading, facts);
}
