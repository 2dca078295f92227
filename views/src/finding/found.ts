// What the tools that find documents answer, as one shape for the view.
import type {
  FindInDocumentsSuccess,
  GetCollectionStructureSuccess,
  ListDocumentsSuccess,
  SearchDocumentsSuccess,
  TreeNode,
} from "../outline";
import { count } from "../shared/dom";

/** A document found. */
export interface Found {
  id: string;
  title: string;
  collection?: string | undefined;
  /** Facts in a line: state, time, author. */
  facts: { updated?: string | undefined; by?: string | undefined; status?: string | undefined };
  passages: Passage[];
}

/** A passage of a document that matched. */
export interface Passage {
  text: string;
  heading?: string | undefined;
  line?: number | undefined;
}

/** What was found, as a list or as a tree. */
export interface Finding {
  heading: string;
  summary: string;
  note?: string | undefined;
  list?: Found[];
  tree?: TreeNode[];
  /** What to mark in passages; undefined if nothing. */
  marked?: RegExp | undefined;
}

/** Returns what an answer found, or undefined if it is of another tool. */
export function findingOf(answer: Record<string, unknown>, args: Record<string, unknown>): Finding | undefined {
  if ("results" in answer) return searched(answer as unknown as SearchDocumentsSuccess);
  if ("matches" in answer) return matched(answer as unknown as FindInDocumentsSuccess, args);
  if ("total_documents" in answer) return structured(answer as unknown as GetCollectionStructureSuccess);
  if ("documents" in answer) return listed(answer as unknown as ListDocumentsSuccess);
  return undefined;
}

function searched(s: SearchDocumentsSuccess): Finding {
  const list = s.results.map((result): Found => ({
    id: result.document_id,
    title: result.title,
    collection: "collection_name" in result ? result.collection_name : undefined,
    facts: "updated_at" in result ? { updated: result.updated_at, status: result.status } : {},
    passages: "context" in result && result.context ? [{ text: result.context }] : [],
  }));
  const shown = list.length < s.total ? `${list.length} of ${count(s.total, "document", "documents")}` : count(s.total, "document", "documents");
  return { heading: `Search: ${s.query}`, summary: shown, note: s.note, list, marked: wordsOf(s.query) };
}

/** The words of a query, any of them, from the beginning of a word. */
function wordsOf(query: string): RegExp | undefined {
  const words = query.match(/"[^"]+"|[\p{L}\p{N}]+/gu)?.map((word) => escaped(word.replaceAll('"', "")));
  return words && new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.join("|")})`, "giu");
}

function matched(s: FindInDocumentsSuccess, args: Record<string, unknown>): Finding {
  const documents = new Map<string, Found>();
  for (const match of s.matches) {
    let found = documents.get(match.document_id);
    if (!found) documents.set(match.document_id, (found = { id: match.document_id, title: match.title, facts: {}, passages: [] }));
    if (match.line > 0) {
      const text = [...(match.before ?? []), match.text, ...(match.after ?? [])].join("\n");
      found.passages.push({ text, heading: match.heading, line: match.line });
    }
  }
  const query = String(args["query"] ?? "");
  const n = `${count(s.matches.length, "match", "matches")} in ${count(s.documents_matched, "document", "documents")}`;
  // A regular expression is RE2 and could stall here; only literal text is marked.
  const marked = query === "" || args["regex"] === true ? undefined : new RegExp(escaped(query), args["case_sensitive"] === true ? "gu" : "giu");
  return { heading: query === "" ? "Matches" : `Matches for ${query}`, summary: s.complete ? n : `${n}, not all documents searched`, note: s.note, list: [...documents.values()], marked };
}

function listed(s: ListDocumentsSuccess): Finding {
  const list = s.documents.map((document): Found => ({
    id: document.document_id,
    title: document.title,
    collection: document.collection_name,
    facts: { updated: document.updated_at, by: document.updated_by, status: document.status },
    passages: [],
  }));
  const all = s.total ?? s.count;
  return { heading: s.collaborator ? `Documents of ${s.collaborator}` : "Documents", summary: s.count < all ? `${s.count} of ${count(all, "document", "documents")}` : count(s.count, "document", "documents"), note: s.note, list };
}

function structured(s: GetCollectionStructureSuccess): Finding {
  const shown = s.shown_documents === undefined ? "" : `${s.shown_documents} of `;
  return { heading: s.title ?? s.collection_name, summary: shown + count(s.total_documents, "document", "documents"), tree: s.documents };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
