// Colors for code: comments, strings, numbers and keywords, which most languages write alike.
// A highlighter that knows the languages costs more than the whole view may have.
import { h } from "./dom";

const hash = /^(?:py|python|sh|bash|shell|zsh|ruby|rb|ya?ml|toml|ini|docker|dockerfile|perl|r|elixir|powershell|make|makefile|hcl|nginx|conf)$/i;
const dash = /^(?:sql|lua|haskell|hs|ada|elm)$/i;
const plain = /^(?:|none|text|plain|plaintext|txt|mermaid|mermaidjs|markdown|md)$/i;

const keywords =
  "abstract and as async await begin bool boolean break byte case catch char class const continue def default defer del delete do done double elif else elsif end enum esac except export extends extern fi final finally float fn for foreach from func function go goto if implements import impl in inline instanceof int interface internal is lambda let long loop match mod module mut namespace new nil none not null or override package pass private protected pub public raise range record require return self short signed sizeof static string struct super switch then this throw throws trait true false try type typedef typeof undefined union unless unsafe unsigned until use using var void volatile when where while with yield " +
  "add alter by create desc distinct drop exists from group having inner insert into join key left like limit on order primary references right select set table update values view";
const isKeyword = new Set(keywords.split(" "));

const limit = 50_000; // characters; longer code has no colors

/** Returns the code with its parts in spans. Their text together is the code. */
export function highlightCode(code: string, language: string): (Node | string)[] {
  if (plain.test(language) || code.length > limit) return [code];
  const comment = hash.test(language) ? "#[^\\n]*" : dash.test(language) ? "--[^\\n]*" : "\\/\\/[^\\n]*|\\/\\*[\\s\\S]*?(?:\\*\\/|$)|<!--[\\s\\S]*?(?:-->|$)";
  const parts = new RegExp(`(${comment})|("(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`[^\`]*\`)|\\b(\\d[\\w.]*)\\b|(?<![\\w-])([A-Za-z_]\\w*)(?![\\w-])|\\\\.`, "g"); // the last part keeps an escaped quotation mark from opening a string
  const out: (Node | string)[] = [];
  let shown = 0;
  for (const match of code.matchAll(parts)) {
    const [text, comment, string, number, word] = match;
    const kind = comment ? "comment" : string ? "string" : number ? "number" : word && isKeyword.has(word.toLowerCase()) ? "keyword" : undefined;
    if (!kind) continue;
    if (match.index > shown) out.push(code.slice(shown, match.index));
    out.push(h("span", { class: `code-${kind}` }, text));
    shown = match.index + text.length;
  }
  out.push(code.slice(shown));
  return out;
}
