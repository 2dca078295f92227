// Comments beside the passages they are about.
import type { Tools } from "../outline";
import { count, direction, h, name, time } from "./dom";
import { render } from "./render";
import type { App } from "./view";

type Comment = Tools["list_document_comments"]["success"]["comments"][number];

/** Reads the open comments of a document and puts each thread beside its passage. Returns how many comments there are. */
export async function addComments(app: App, article: HTMLElement, documentID: string): Promise<number> {
  const answer = await app.call("list_document_comments", { document_id: documentID, include_anchor_text: true, order: "oldest", limit: 100 });
  const threads = new Map<string, Comment[]>();
  for (const comment of answer.comments) {
    const root = comment.parent_comment_id ?? comment.id;
    threads.set(root, [...(threads.get(root) ?? []), comment]);
  }
  const elsewhere: HTMLElement[] = [];
  let n = 0;
  for (const comments of threads.values()) {
    const anchor = comments[0]!.anchor_text;
    const id = `comments-${++n}`;
    const thread = threadOf(app, comments, id);
    const passage = anchor ? mark(article, anchor, id) : undefined;
    if (passage) beside(article, passage, thread);
    else elsewhere.push(thread);
  }
  if (elsewhere.length > 0) {
    article.append(h("section", { class: "elsewhere", "aria-label": "Comments without a passage" }, h("h2", {}, "Comments"), ...elsewhere));
  }
  return answer.total;
}

function threadOf(app: App, comments: Comment[], id: string): HTMLElement {
  return h("div", { class: "thread", id, role: "group", "aria-label": count(comments.length, "comment", "comments"), dir: direction(comments[0]!.text), tabindex: -1 },
    ...comments.map((comment) => h("div", { class: "comment" },
      h("p", { class: "meta" }, h("strong", {}, name(comment.author)), " ", time(comment.created_at, app.context.locale, app.context.timeZone)),
      ...render(comment.text).blocks)));
}

/** Marks the first place of a passage, which can span several nodes. Returns its first mark. */
function mark(article: HTMLElement, passage: string, id: string): HTMLElement | undefined {
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest(".thread, math, summary") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  const nodes: Text[] = [];
  let text = "";
  while (walker.nextNode()) {
    nodes.push(walker.currentNode as Text);
    text += (walker.currentNode as Text).data;
  }
  const from = text.indexOf(passage), to = from + passage.length;
  if (from < 0) return undefined;
  let at = 0, first: HTMLElement | undefined;
  for (const node of nodes) {
    const begin = Math.max(from, at), end = Math.min(to, at + node.data.length), start = at;
    at += node.data.length;
    if (begin >= end) continue;
    const part = begin > start ? node.splitText(begin - start) : node;
    if (part.data.length > end - begin) part.splitText(end - begin);
    const marked = h("mark", { class: "commented", "aria-describedby": id });
    part.replaceWith(marked);
    marked.append(part);
    first ??= marked;
  }
  return first;
}

/** Puts a thread next to the block of the article that has the passage. It floats, so it comes first. */
function beside(article: HTMLElement, passage: HTMLElement, thread: HTMLElement): void {
  let block: HTMLElement = passage;
  while (block.parentElement && block.parentElement !== article) block = block.parentElement;
  if (block.classList.contains("beside")) {
    block.firstElementChild!.append(thread);
    return;
  }
  const pair = h("div", { class: "beside" });
  block.replaceWith(pair);
  pair.append(h("div", { class: "threads" }, thread), block);
}
