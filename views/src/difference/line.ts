// A line of a difference, with the document's formatting or as Markdown source.
import { highlightCode } from "../shared/code";
import { type Line, type Range, words } from "../shared/diff";
import { direction, h, showControls } from "../shared/dom";
import { renderInline } from "../shared/render";

/** Renders lines one after the other. */
export class LineRenderer {
  private fence: string | undefined;

  constructor(private readonly formatted: boolean) {}

  /** Renders a line that stands alone. */
  single(line: Line): HTMLElement {
    return this.content(line.text);
  }

  /** Renders a line and the one that replaces it, with the words marked that differ. */
  replaced(before: Line, after: Line): [HTMLElement, HTMLElement] {
    const fence = this.fence;
    let old = this.content(before.text);
    this.fence = fence;
    let now = this.content(after.text);
    // Where only formatting differs, the source shows how.
    if (old.textContent === now.textContent) [old, now] = [source(before.text), source(after.text)];
    const differing = words(old.textContent ?? "", now.textContent ?? "");
    if (differing) {
      mark(old, differing.removed, "del");
      mark(now, differing.added, "ins");
    }
    return [old, now];
  }

  private content(raw: string): HTMLElement {
    // What is shown must be what is written, so nothing may hide or reorder text.
    const text = showControls(raw);
    if (!this.formatted) return source(text);
    const fence = /^\s*(```+|~~~+)/.exec(text)?.[1];
    if (fence && (this.fence === undefined || fence.startsWith(this.fence))) {
      this.fence = this.fence === undefined ? fence : undefined;
      return source(text);
    }
    if (this.fence !== undefined) return h("code", { class: "line", dir: "ltr" }, ...highlightCode(text, "code"));
    try {
      return formatted(text);
    } catch {
      return source(text); // nested too deeply
    }
  }
}

function source(text: string): HTMLElement {
  return h("span", { class: "line source", dir: direction(text) }, showControls(text));
}

const block = /^(\s*)(?:(#{1,6})\s+|([-*+]|\d+[.)])\s+(?:\[([ xX])\]\s+)?|(>\s?)+|(\|))?/;

function formatted(text: string): HTMLElement {
  const [prefix, indent, heading, bullet, task, quote, row] = block.exec(text)!;
  const rest = text.slice(prefix.length);
  const line = (kind: string, ...before: (Node | string)[]) => {
    const made = h("span", { class: `line ${kind}`, dir: direction(rest) }, ...before, ...renderInline(rest));
    if (indent) made.style.paddingInlineStart = `${Math.min(indent.length, 20) / 2}em`;
    return made;
  };
  if (heading) return line(`heading level${heading.length}`);
  if (bullet) return line("item", h("span", { class: "bullet" }, task === undefined ? (/\d/.test(bullet) ? bullet : "•") : task === " " ? "☐" : "☑", " "));
  if (quote) return line("quote");
  if (row) return h("span", { class: "line row", dir: direction(rest) }, ...cells(rest));
  return /^(-{3,}|\*{3,}|:{3,}.*|\+{3,}.*|\$\$.*)$/.test(rest) ? source(text) : line("");
}

function cells(row: string): HTMLElement[] {
  const parts = row.replace(/\|\s*$/, "").split(/(?<!\\)\|/);
  if (parts.every((part) => /^\s*:?-+:?\s*$/.test(part))) return [source("| " + row)];
  return parts.map((part) => h("span", { class: "cell" }, ...renderInline(part.trim())));
}

/** Wraps ranges of an element's text in ins or del. */
function mark(element: HTMLElement, ranges: Range[], tag: "ins" | "del"): void {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) nodes.push(walker.currentNode as Text);
  let at = 0;
  for (const node of nodes) {
    const from = at, to = (at += node.data.length);
    // A formula has no place for marks; its line is colored.
    if (node.parentElement?.namespaceURI !== element.namespaceURI) continue;
    const inside = ranges.filter((range) => range[0] < to && range[1] > from);
    for (const [begin, end] of inside.reverse()) {
      const part = begin > from ? node.splitText(begin - from) : node;
      if (end - Math.max(begin, from) < part.data.length) part.splitText(end - Math.max(begin, from));
      const marked = h(tag);
      part.replaceWith(marked);
      marked.append(part);
    }
  }
}
