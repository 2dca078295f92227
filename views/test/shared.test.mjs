// Tests of what the views do with text before it becomes a page. The views as a whole are
// tested in a browser, in test/views of the repository.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { build } from "esbuild";

const { outputFiles } = await build({
  stdin: { contents: `export * from "./markdown"; export * from "./diff"; export * from "./dom"; export * from "./links"; export * from "./answer"; export * from "./code"; export * from "../difference/changes"; export * from "../finding/found";`, resolveDir: new URL("../src/shared", import.meta.url).pathname, loader: "ts" },
  bundle: true, write: false, format: "esm", target: "es2022",
});
const { parse, unescape, parseDiff, pairs, words, showControls, direction, safeURL, structuredOf, highlightCode, changeOf, findingOf } =
  await import("data:text/javascript;base64," + Buffer.from(outputFiles[0].text).toString("base64"));

// shape returns the types of tokens, with what is in them.
const shape = (tokens) => tokens.filter(({ type }) => type !== "space").map(({ type, tokens, items, text }) => {
  const inner = items?.flatMap((item) => item.tokens) ?? tokens;
  return inner && !["paragraph", "heading"].includes(type) ? [type, ...shape(inner)] : inner ? `${type}: ${shape(inner).flat().join(" ")}` : type === "text" ? text : `${type} ${text ?? ""}`.trim();
});

describe("Outline's Markdown", () => {
  for (const [what, [text, want]] of Object.entries({
    "has callouts": [":::info\na\n\n- b\n:::\nc", [["callout", "paragraph: a", ["list", ["text", "b"]]], "paragraph: c"]],
    "ends a paragraph before a callout": ["a\n:::tip\nb\n:::", ["paragraph: a", ["callout", "paragraph: b"]]],
    "nests callouts by the length of their marks": ["::::info\n:::tip\na\n:::\n::::\nb", [["callout", ["callout", "paragraph: a"]], "paragraph: b"]],
    "has callouts without an end": [":::info\na", [["callout", "paragraph: a"]]],
    "has toggles": ["+++\na\n\nb\n+++\nc", [["toggle", "paragraph: a", "paragraph: b"], "paragraph: c"]],
    "has math": ["$$\nx\n$$\na $y^2$", ["mathBlock x", "paragraph: a  math y^2"]],
    "takes prices for text": ["from $5 to $6, $7,$8", ["paragraph: from $5 to $6, $7,$8"]],
    "has highlights": ["a ==b c==", ["paragraph: a  highlight b c"]],
    "takes HTML for text": ["<script>x</script>\n\n<b>y</b>", ["paragraph: <script>x</script>", "paragraph: <b>y</b>"]],
    "takes bare URLs for text": ["https://example.com", ["paragraph: https://example.com"]],
  })) {
    it(what, () => assert.deepEqual(shape(parse(text)), want));
  }

  for (const [what, text] of Object.entries({
    "paragraphs": "line\n\n".repeat(100_000),
    "highlights without an end": "==a ".repeat(100_000),
    "brackets": "[".repeat(50_000),
    "stars": "*a ".repeat(30_000),
    "rows": "|a|b|\n|-|-|\n" + "|1|2|\n".repeat(5000),
    "formulas without an end": "$$x\n".repeat(30_000),
    "words in italics": "_a_".repeat(30_000),
    "stars and underscores": "*a_".repeat(30_000),
    "paragraphs of stars and underscores": ("*a_".repeat(150) + "\n\n").repeat(1000),
  })) {
    it(`parses many ${what} in a moment`, () => {
      const begin = process.cpuUsage();
      parse(text);
      const { user } = process.cpuUsage(begin); // a busy machine does not count
      assert.ok(user < 5_000_000, `${user} µs`); // quadratic time would be more than 15 s
    });
  }

  it("has character references", () => assert.equal(unescape("&amp;&#65;&#x42;&#0;&constructor;"), "&AB\ufffd&constructor;"));
  it("has no character references that reorder text", () => assert.equal(unescape("&#x202E;&#8237;"), "‹U+202E›‹U+202D›"));
  it("colors code with quotation marks without an end in a moment", () => {
    const begin = performance.now(), code = '"' + '\\"'.repeat(24_000);
    assert.equal(highlightCode(code, "js").join(""), code);
    assert.ok(performance.now() - begin < 500); // quadratic time would be more than a second
  });
});

describe("diffs", () => {
  const diff = "--- revision 6\n+++ revision 7\n@@ -2,3 +2,4 @@\n a\n-b\n-c\n+d\n+e\n+f\n@@ -9,0 +11,1 @@\n+g\n";

  it("number the lines of both texts", () => {
    const numbers = parseDiff(diff).map(({ lines }) => lines.map(({ text, before, after }) => [text, before, after]));
    assert.deepEqual(numbers, [[["a", 2, 2], ["b", 3, undefined], ["c", 4, undefined], ["d", undefined, 3], ["e", undefined, 4], ["f", undefined, 5]], [["g", undefined, 11]]]);
  });
  it("name the line before a range without lines", () => assert.deepEqual(parseDiff(diff).map(({ before, after }) => [before, after]), [[2, 2], [10, 11]]));
  it("may end early", () => assert.equal(parseDiff(diff.slice(0, diff.indexOf("-c")))[0].lines.length, 2));
  it("may be empty", () => assert.deepEqual(parseDiff(""), []));
  it("pair what was removed with what replaces it", () => {
    assert.deepEqual(pairs(parseDiff(diff)[0].lines).map(({ before, after }) => [before?.text, after?.text]), [["a", "a"], ["b", "d"], ["c", "e"], [undefined, "f"]]);
  });
  it("mark the words that differ", () => assert.deepEqual(words("pay €60 a pot", "pay €75 a pot"), { removed: [[5, 7]], added: [[5, 7]] }));
  for (const [what, [before, after, marked]] of Object.entries({
    "of any script": ["السطر الثاني هنا", "السطر الأخير هنا", "الأخير"],
    "character by character where there are no spaces": ["今日は晴れです", "今日は雨です", "雨"],
    "together where only spaces are between them": ["the penultimate lines", "the very last lines", "very last"],
    "that are all spaces": ["a b", "a  b", "  "],
  })) {
    it(`mark words ${what}`, () => assert.deepEqual(words(before, after).added.map(([from, to]) => after.slice(from, to)), [marked]));
  }
  it("mark no words of lines with little in common", () => assert.equal(words("one two three", "uno dos tres"), undefined));
});

describe("text", () => {
  it("shows characters that hide or reorder others", () => assert.equal(showControls("a\u202eb\u200bc\n"), "a‹U+202E›b‹U+200B›c\n"));
  it("shows characters that nobody sees", () => assert.equal(showControls("a\u{e0041}b\u00adc\u2062d\u200de"), "a‹U+E0041›b‹U+00AD›c‹U+2062›d\u200de"));
  it("has the direction of its first letter", () => assert.deepEqual(["12 אב a", "a אב", "…", "مرحبا"].map(direction), ["rtl", "ltr", "ltr", "rtl"]));
  it("links to the web and mail only", () => {
    const urls = ["https://a.example/", "/doc/x", "mailto:a@b.example", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,x", "file:///etc", "//b.example/"];
    assert.deepEqual(urls.map((url) => safeURL(url, "https://wiki.example/doc/y")), ["https://a.example/", "https://wiki.example/doc/x", "mailto:a@b.example", undefined, undefined, undefined, undefined, "https://b.example/"]);
  });
});

describe("changes", () => {
  const answer = { document_id: "1", title: "A", url: "https://wiki.example/doc/a", edits_applied: 1, changed: false, verified: false, revision_before: 3, revision: 3, guarded: true, diff: "@@ -1 +1 @@\n-a\n+b\n" };
  const edits = [{ old_text: "a", new_text: "b" }];

  it("of a dry run are proposed, however the call asks for it", () => {
    for (const args of [{ edits, dry_run: true }, { edits: JSON.stringify(edits), dry_run: "true" }]) {
      const change = changeOf(answer, args);
      assert.match(change.summary, /^Proposed changes to revision 3\. Nothing has been written yet\.$/);
      assert.deepEqual(change.apply, { document_id: "1", edits: args.edits, expected_revision: 3 });
    }
  });
  it("of which nothing is shown cannot be applied", () => assert.equal(changeOf({ ...answer, diff: "", diff_lines_left_out: 3 }, { edits, dry_run: true }).apply, undefined));
  it("that are written are not proposed", () => {
    const change = changeOf({ ...answer, changed: true, verified: true, revision: 4 }, { edits });
    assert.deepEqual([change.summary, change.apply], ["1 edit applied, now revision 4.", undefined]);
  });
});

describe("findings", () => {
  for (const query of ["blue-green", '"blue-green"', "a/b", "(a|b]{1}^$.*+?\\"]) {
    it(`mark what ${query} finds`, () => {
      const { marked } = findingOf({ matches: [], documents_matched: 0, complete: true }, { query });
      assert.deepEqual(`x ${query} x`.match(marked), [query]);
      assert.ok(findingOf({ results: [], total: 0, query }, {}));
    });
  }
});

describe("answers", () => {
  it("have structured content of their own or in _meta", () => {
    assert.deepEqual(structuredOf({ structuredContent: { a: 1 } }), { a: 1 });
    assert.deepEqual(structuredOf({ _meta: { "outline-mcp/structuredContent": { a: 2 } } }), { a: 2 });
  });
  it("say why a call failed", () => {
    const failed = { isError: true, content: [{ type: "text", text: "as text" }] };
    assert.throws(() => structuredOf(failed), /as text/);
    assert.throws(() => structuredOf({ ...failed, structuredContent: { error: "heading_not_found", message: "as message" } }), /as message/);
  });
});
