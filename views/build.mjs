// Builds the views: src/NAME/main.ts and all it imports, CSS too, becomes dist/NAME.html,
// which needs nothing else. The program contains dist/NAME.html.gz. With --check it writes
// nothing, and fails where dist is not what it would write.
import { build } from "esbuild";
import { readFile, writeFile } from "node:fs/promises";
import { gunzipSync, gzipSync } from "node:zlib";

const titles = { difference: "Difference", document: "Document", finding: "Search results" };
const limit = 120 * 1024; // bytes of a file
const limitOfAll = 250 * 1024; // bytes of all files, compressed

// policy makes the browser refuse HTML made of strings (Trusted Types) and requests, whatever the
// script does. That of the host applies, too, and decides on the host's own styles and fonts.
const policy = [
  "require-trusted-types-for 'script'", "trusted-types 'none'", "img-src data:", "base-uri 'none'", "form-action 'none'",
  ...["connect", "media", "object", "frame", "worker", "manifest"].map((kind) => `${kind}-src 'none'`),
].join("; ");

const at = (path) => new URL(path, import.meta.url);
const check = process.argv.includes("--check");
const problems = [];
let compressed = 0;

for (const [name, title] of Object.entries(titles)) {
  const made = Buffer.from(page(title, await bundle(name)));
  if (made.length > limit) problems.push(`${name}.html has ${made.length} bytes, more than ${limit}`);
  const file = at(`dist/${name}.html`), archive = at(`dist/${name}.html.gz`);
  let packed = await readFile(archive).catch(() => undefined);
  // zlib versions compress differently, so what counts is the content.
  const stale = !packed || !gunzipSync(packed).equals(made);
  if (stale) packed = gzipSync(made, { level: 9 });
  compressed += packed.length;
  if (!check) {
    await writeFile(file, made);
    if (stale) await writeFile(archive, packed);
  } else if (stale || !(await readFile(file).catch(() => made.subarray(1))).equals(made)) {
    problems.push(`dist/${name}.html or its .gz is not what the source gives: run npm run build in views`);
  }
  console.log(`${name}: ${made.length} bytes, ${packed.length} compressed`);
}
if (compressed > limitOfAll) problems.push(`the views have ${compressed} bytes compressed, more than ${limitOfAll}`);
if (problems.length > 0) {
  console.error(problems.join("\n"));
  process.exit(1);
}

// bundle returns the script and the style sheet of a view, and the licences of the packages in them.
async function bundle(name) {
  const { outputFiles, metafile } = await build({
    entryPoints: [`src/${name}/main.ts`], absWorkingDir: at(".").pathname, outdir: "dist",
    bundle: true, minify: true, write: false, format: "iife", target: "es2022", charset: "utf8",
    legalComments: "eof", metafile: true, logLevel: "warning", loader: { ".svg": "text" },
  });
  const text = (end) => outputFiles.find(({ path }) => path.endsWith(end))?.text.trim() ?? "";
  const packages = new Set(Object.keys(metafile.inputs).map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean));
  const licences = await Promise.all([...packages].sort().map(async (name) => {
    const { version } = JSON.parse(await readFile(at(`node_modules/${name}/package.json`)));
    return `Contains ${name} ${version}:\n\n${(await readFile(at(`node_modules/${name}/LICENSE`), "utf8")).trim()}\n`;
  }));
  return { script: text(".js"), style: text(".css"), licences: licences.join("\n") };
}

// page returns the HTML file. esbuild escapes closing tags in strings and CSS. A <!-- in a
// string could hide the end of the script.
function page(title, { script, style, licences }) {
  if (/<\/script/i.test(script) || /<\/style/i.test(style) || /--!?>/.test(licences)) throw new Error(`${title} would end its own element`);
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<script>${script.replaceAll("<!--", "\\x3c!--")}</script>
</body>
</html>
<!--
${licences}-->
`;
}
