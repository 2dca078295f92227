// Tokens of Markdown as DOM nodes. No HTML is made and none is parsed: what a document says
// becomes text, and of its links only http, https and mailto are links.
import type { Token, Tokens } from "marked";
import "./markdown.css";
import { highlightCode } from "./code";
import { add, direction, h, showControls } from "./dom";
import { safeURL } from "./links";
import { type ContainerToken, type MathToken, parse, parseInline, unescape } from "./markdown";
import { renderMath } from "./math";

/** What rendering needs to know about the document. */
export interface Source {
  /** The document's address, against which its links are resolved. */
  url?: string | undefined;
  /** Shows an image. Without it, images are named only. */
  image?: ((src: string, description: string) => HTMLElement) | undefined;
  /** Whether links and images show their addresses, so that nothing of the source is hidden. */
  addresses?: boolean;
  /** What earlier parts of the document have for headings. */
  outline?: Outline;
}

/** The headings of a document so far. */
export class Outline {
  /** How many have an anchor. */
  readonly anchors = new Map<string, number>();
  /** The depths of the headings that the next one could be below. */
  readonly above: number[] = [];
}

/** A heading of a rendered document. */
export interface Heading {
  id: string;
  text: string;
  level: number;
}

/** A rendered document. */
export interface Rendered {
  blocks: HTMLElement[];
  headings: Heading[];
}

/** Renders a document. Text that cannot be parsed is shown as it is. */
export function render(text: string, source: Source = {}): Rendered {
  const renderer = new Renderer(source);
  try {
    return { blocks: renderer.blocks(parse(text)), headings: renderer.headings };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { blocks: [h("pre", { dir: "auto", class: "plain", tabindex: 0 }, text)], headings: [] };
  }
}

/** Renders text within a line of a difference, with the addresses of links and images. */
export function renderInline(text: string): Node[] {
  return new Renderer({ addresses: true }).inline(parseInline(text));
}

class Renderer {
  readonly headings: Heading[] = [];
  private readonly outline: Outline;

  constructor(private readonly source: Source) {
    this.outline = source.outline ?? new Outline();
  }

  blocks(tokens: Token[]): HTMLElement[] {
    return tokens.map((token) => this.block(token)).filter((block) => block !== undefined);
  }

  private block(token: Token): HTMLElement | undefined {
    switch (token.type) {
      case "space":
      case "def":
        return undefined;
      case "heading":
        return this.heading(token as Tokens.Heading);
      case "paragraph":
        // Outline writes an empty paragraph as a backslash.
        return this.line("p", token.raw.trim() === "\\" ? [] : (token.tokens ?? []), token.raw);
      case "text":
        return this.line("div", token.tokens ?? [token], token.raw);
      case "list":
        return this.list(token as Tokens.List);
      case "table":
        return this.table(token as Tokens.Table);
      case "blockquote":
        return h("blockquote", { dir: direction(token.raw) }, ...this.blocks(token.tokens ?? []));
      case "code":
        return this.code(token as Tokens.Code);
      case "hr":
        return h("hr");
      case "callout":
        return this.callout(token as ContainerToken);
      case "toggle":
        return this.toggle(token as ContainerToken);
      case "mathBlock":
        return h("div", { class: "math", tabindex: 0, role: "group", "aria-label": "Formula" }, renderMath((token as MathToken).text, true));
    }
    return h("p", { dir: "auto" }, token.raw);
  }

  private line<K extends "p" | "div">(tag: K, tokens: Token[], raw: string): HTMLElement {
    return h(tag, { dir: direction(raw) }, ...this.inline(tokens));
  }

  private heading(token: Tokens.Heading): HTMLElement {
    const content = this.inline(token.tokens);
    const text = content.map((node) => node.textContent ?? "").join("");
    // The form of Outline's own anchors, so that links to headings work.
    const slug = "h-" + text.toLowerCase().trim().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
    const { anchors, above } = this.outline;
    const seen = anchors.get(slug) ?? 0;
    anchors.set(slug, seen + 1);
    const id = seen === 0 ? slug : `${slug}-${seen}`;
    this.headings.push({ id, text, level: token.depth });
    // The title of the view is the h1, and screen readers expect no gaps.
    while (above.length > 0 && above.at(-1)! >= token.depth) above.pop();
    const level = Math.min(above.push(token.depth) + 1, 6) as 2 | 3 | 4 | 5 | 6;
    return h(`h${level}`, { id, class: `level${token.depth}`, dir: direction(text) }, ...content);
  }

  private list(token: Tokens.List): HTMLElement {
    const items = token.items.map((item) => {
      const tokens = item.tokens.filter((part) => part.type !== "checkbox");
      const blocks = this.blocks(tokens);
      if (!item.task) return h("li", { dir: direction(item.text) }, ...blocks);
      const label = (blocks[0]?.textContent ?? "").trim();
      const box = h("input", { type: "checkbox", checked: item.checked ?? false, disabled: true, "aria-label": label || "Item" });
      return h("li", { class: "task", dir: direction(item.text) }, box, h("div", {}, ...blocks));
    });
    if (!token.ordered) return h("ul", {}, ...items);
    return h("ol", { start: token.start || undefined }, ...items);
  }

  private table(token: Tokens.Table): HTMLElement {
    const row = (cells: Tokens.TableCell[], tag: "th" | "td") =>
      h("tr", {}, ...cells.map((cell) => {
        const props = { dir: direction(cell.text), class: cell.align ? `align-${cell.align}` : undefined };
        return h(tag, tag === "th" ? { ...props, scope: "col" } : props, ...this.inline(cell.tokens));
      }));
    const table = h("table", {}, h("thead", {}, row(token.header, "th")), h("tbody", {}, ...token.rows.map((cells) => row(cells, "td"))));
    // What scrolls must be reachable by keyboard.
    return h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Table" }, table);
  }

  private code(token: Tokens.Code): HTMLElement {
    const language = /^[\w+#.-]*/.exec(token.lang ?? "")![0];
    const diagram = /^mermaid/.test(language);
    const label = diagram ? "Mermaid diagram, as code" : language ? `Code, ${language}` : "Code";
    const code = h("code", {}, ...highlightCode(showControls(token.text), language));
    const pre = h("pre", { tabindex: 0, dir: "ltr", role: "group", "aria-label": label }, code);
    return diagram ? h("figure", {}, pre, h("figcaption", {}, label)) : pre;
  }

  private callout(token: ContainerToken): HTMLElement {
    const styles: Record<string, string> = { warning: "Warning", success: "Success", tip: "Tip" };
    const style = Object.hasOwn(styles, token.style) ? token.style : "info";
    return h("div", { class: `callout ${style}`, role: "note", "aria-label": styles[style] ?? "Info" }, ...this.blocks(token.tokens));
  }

  private toggle(token: ContainerToken): HTMLElement {
    const [head, ...rest] = this.blocks(token.tokens);
    const summary = h("summary", { dir: head?.dir });
    if (head) add(summary, ...head.childNodes);
    return h("details", {}, summary, ...rest);
  }

  inline(tokens: Token[]): Node[] {
    return tokens.map((token) => this.span(token));
  }

  private span(token: Token): Node {
    const inside = () => this.inline(("tokens" in token && token.tokens) || []);
    switch (token.type) {
      case "strong":
        return h(token.raw.startsWith("_") ? "u" : "strong", {}, ...inside());
      case "em":
        return h("em", {}, ...inside());
      case "del":
        return h("del", { class: "struck" }, ...inside());
      case "highlight":
        return h("mark", {}, ...inside());
      case "codespan":
        return h("code", { dir: "ltr" }, showControls((token as Tokens.Codespan).text));
      case "br":
        return h("br");
      case "math":
        return h("span", { class: "math" }, renderMath((token as MathToken).text, false));
      case "link":
        return this.link(token as Tokens.Link);
      case "image":
        return this.image(token as Tokens.Image);
      case "escape":
        return document.createTextNode((token as Tokens.Escape).text);
    }
    const text = "text" in token && typeof token.text === "string" ? token.text : token.raw;
    if ("tokens" in token && token.tokens?.length) return h("span", {}, ...inside());
    // Within a cell of a table, Outline writes a line break as <br>.
    if (!/<br ?\/?>/i.test(text)) return document.createTextNode(unescape(text));
    const lines = text.split(/<br ?\/?>/i);
    return h("span", {}, ...lines.flatMap((line, at) => (at === 0 ? [unescape(line)] : [h("br"), unescape(line)])));
  }

  private link(token: Tokens.Link): Node {
    const content = this.inline(token.tokens);
    if (this.source.addresses) return h("span", {}, ...content, ` (${token.href})`);
    if (token.href.startsWith("mention://")) return h("bdi", { class: "mention" }, ...content);
    if (/^#[\w\p{L}%-]+$/u.test(token.href)) return h("a", { href: decoded(token.href) }, ...content);
    const url = safeURL(token.href, this.source.url);
    if (!url) return h("span", {}, ...content);
    // The address is shown, because a text can pretend to be another.
    return h("a", { href: url, title: url, rel: "noreferrer noopener", target: "_blank" }, ...content);
  }

  private image(token: Tokens.Image): Node {
    const description = token.text.trim();
    if (this.source.image) return this.source.image(token.href, description);
    const address = this.source.addresses ? ` (${token.href}${token.title ? ` "${token.title}"` : ""})` : "";
    return h("span", { class: "image" }, (description ? `Image: ${description}` : "Image") + address);
  }
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
