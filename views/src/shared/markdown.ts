// Outline's Markdown as tokens: GFM without HTML and bare URLs, with callouts, toggles, math,
// highlights and underline. The dialect is that of outline/prosemirror.
import { Marked, type Token, type Tokens, type TokenizerAndRendererExtension } from "marked";

/** A callout or a toggle. */
export interface ContainerToken extends Tokens.Generic {
  type: "callout" | "toggle";
  /** The style of a callout, such as "warning". */
  style: string;
  tokens: Token[];
}

/** Math in TeX, as a block or within a line. */
export interface MathToken extends Tokens.Generic {
  type: "mathBlock" | "math";
  text: string;
}

// marked asks at each paragraph what could end it. To search the rest of the text each time would
// take time that grows with its square.
function withinParagraph(src: string, pattern: RegExp): number | undefined {
  const end = src.indexOf("\n\n");
  return pattern.exec(end < 0 ? src : src.slice(0, end))?.index;
}

const container: TokenizerAndRendererExtension = {
  name: "container",
  level: "block",
  start: (src) => withinParagraph(src, /^(?::::|\+\+\+)/m),
  tokenizer(src) {
    const opening = /^(:{3,}|\+{3,})[ \t]*([^\n]*)(?:\n|$)/.exec(src);
    if (!opening) return undefined;
    const [first, marker, style] = opening as unknown as [string, string, string];
    const closing = new RegExp(`^ {0,3}\\${marker[0]}{${marker.length},}[ \\t]*(?:\\n|$)`, "m").exec(src.slice(first.length));
    const end = first.length + (closing?.index ?? src.length);
    const token = {
      type: marker[0] === ":" ? "callout" : "toggle",
      raw: closing ? src.slice(0, end) + closing[0] : src,
      style: style.trim(),
      tokens: [],
    } as ContainerToken;
    this.lexer.blockTokens(src.slice(first.length, end), token.tokens);
    return token;
  },
};

const mathBlock: TokenizerAndRendererExtension = {
  name: "mathBlock",
  level: "block",
  start: (src) => withinParagraph(src, /^\$\$/m),
  tokenizer(src) {
    const match = /^\$\$([\s\S]+?)\$\$[ \t]*(?:\n|$)/.exec(src);
    return match ? { type: "mathBlock", raw: match[0], text: match[1]!.trim() } : undefined;
  },
};

const math: TokenizerAndRendererExtension = {
  name: "math",
  level: "inline",
  start: (src) => src.indexOf("$"),
  tokenizer(src) {
    const match = /^\$(?![\s$])((?:[^$\\]|\\[\s\S])+?)(?<!\s)\$(?!\d)/.exec(src);
    return match ? { type: "math", raw: match[0], text: match[1]! } : undefined;
  },
};

const highlight: TokenizerAndRendererExtension = {
  name: "highlight",
  level: "inline",
  start: (src) => src.indexOf("=="),
  tokenizer(src) {
    const match = /^==(?!\s)([^\n=](?:[^\n]{0,400}?[^\s=])?)==/.exec(src);
    return match ? { type: "highlight", raw: match[0], tokens: this.lexer.inlineTokens(match[1]!) } : undefined;
  },
};

const none = () => undefined;

const outline = new Marked({
  extensions: [container, mathBlock, math, highlight],
  tokenizer: { html: none, tag: none, url: none },
});

/** Parses a document. Fails on text nested too deeply for the stack. */
export function parse(text: string): Token[] {
  return outline.lexer(text);
}

/** Parses text within a line. */
export function parseInline(text: string): Token[] {
  return new outline.Lexer(outline.defaults).inlineTokens(text);
}

const entities: Record<string, string> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", hellip: "…",
  ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", times: "×", deg: "°", euro: "€",
};

/** Replaces character references, numeric ones and the common names, by their characters. */
export function unescape(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g, (all, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(entities, name) ? entities[name]! : all;
    const code = decimal !== undefined ? parseInt(decimal, 10) : parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
}
