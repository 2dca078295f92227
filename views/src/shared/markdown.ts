// Outline's Markdown as tokens: GFM without HTML and bare URLs, with callouts, toggles, math,
// highlights and underline. The dialect is that of outline/prosemirror.
import { Marked, type Token, type Tokens, type TokenizerAndRendererExtension } from "marked";
import { showControls } from "./dom";

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
  const near = src.slice(0, 5000);
  const end = near.indexOf("\n\n");
  return pattern.exec(end < 0 ? near : near.slice(0, end))?.index;
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
  start: (src) => withinParagraph(src, /^\$\$(?:[^$]|\$(?!\$))+\$\$[ \t]*$/m),
  tokenizer(src) {
    const match = /^\$\$((?:[^$]|\$(?!\$))+)\$\$[ \t]*(?:\n|$)/.exec(src);
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

const longest = 500; // milliseconds for what is within lines; what comes later is shown as it is

/** Parses a document. Fails on text nested too deeply for the stack. */
export function parse(text: string): Token[] {
  const lexer = new outline.Lexer(outline.defaults);
  const end = performance.now() + longest;
  lexer.blockTokens(text.replace(/\r\n?/g, "\n"), lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    if (isSlow(src) || performance.now() > end) tokens.push(plain(src));
    else lexer.inlineTokens(src, tokens);
  }
  return lexer.tokens;
}

/** Parses text within a line. */
export function parseInline(text: string): Token[] {
  return isSlow(text) ? [plain(text)] : new outline.Lexer(outline.defaults).inlineTokens(text);
}

// Pairing them takes marked time that grows with the square of their number, or faster.
function isSlow(text: string): boolean {
  return text.replace(/[^*_]/g, "").length > 500;
}

function plain(text: string): Token {
  return { type: "text", raw: text, text };
}

const entities: Record<string, string> = {
  amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", hellip: "…",
  ndash: "–", mdash: "—", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", times: "×", deg: "°", euro: "€",
};

/** Replaces character references, numeric ones and the common names, by their characters, or by the code points of those that change how others look. */
export function unescape(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,8}));/g, (all, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(entities, name) ? entities[name]! : all;
    const code = decimal !== undefined ? parseInt(decimal, 10) : parseInt(hex, 16);
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? showControls(String.fromCodePoint(code)) : "\ufffd";
  });
}
