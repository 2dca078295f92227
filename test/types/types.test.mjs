// Real answers must match the types, and wrong ones must not.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import ts from "typescript-5";
import { calls, print, withClient } from "./answers.mjs";
import { samples } from "./changes.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

// execute returns a program's exit code and output.
const execute = (program, args, cwd) => new Promise((resolve) => {
  execFile(program, args, { cwd, maxBuffer: 1 << 28, timeout: 120_000 }, (error, stdout, stderr) => {
    resolve({ code: error ? (error.code ?? error.signal) : 0, printed: stdout + stderr });
  });
});

let all, definitions;
const folders = [];
before(async () => {
  const made = await calls();
  definitions = JSON.parse(await print("json"));
  all = samples(made);
});
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true })));

// folder returns a new folder with copied and written files.
function folder(copied, written) {
  const path = mkdtempSync(join(tmpdir(), "outline-types-"));
  folders.push(path);
  for (const from of copied) copyFileSync(here(from), join(path, from.split("/").at(-1)));
  for (const [name, content] of Object.entries(written)) writeFileSync(join(path, name), content);
  return path;
}

it("tries each tool with right and wrong arguments, successes and failures", () => {
  for (const { name } of definitions) {
    const of = (side, failed) => all.filter((sample) => sample.tool === name && sample.side === side && sample.failed === failed);
    for (const some of [of("arguments", false), of("result", false), of("result", true)]) {
      assert.ok(some.some(({ right }) => right), name);
      for (const kind of [" is null", " has more", " is a text", " is a number"]) {
        assert.ok(some.some(({ right, how }) => !right && how.endsWith(kind)), `${name}: nothing that${kind}`);
      }
    }
    assert.ok(of("result", false).some(({ right, how }) => !right && how.endsWith(" is missing")), `${name}: nothing is missing`);
  }
});

// describeLanguage runs a compiler on the samples. write writes them to a file; compile
// returns whether a folder compiles, and the compiler's output.
function describeLanguage(name, { files, ending, language, prints = language, write, compile }) {
  describe(name, () => {
    it("refuses wrong values; takes right ones, hostile names and texts and the example", async () => {
      const { ok, said } = await compile(folder(files, {
        [`samples.${ending}`]: write(all), [`example.${ending}`]: example(language),
        // The types for a subset of the tools must be complete.
        [`part.${ending}`]: await print(prints, { OUTLINE_TOOLS: "list_document_comments,read_document_section" }),
      }));
      assert.ok(ok, said);
    });

    it("notices when a wrong value passes or a right one does not", async () => {
      const { ok, said } = await compile(folder(files, {
        [`refused.${ending}`]: write([{ ...all.find(({ right }) => right), right: false }]),
        [`passed.${ending}`]: write([{ ...all.find(({ right }) => !right), right: true }]),
      }));
      assert.ok(!ok);
      for (const file of ["refused", "passed"]) assert.match(said, new RegExp(`${file}\\.${ending}\\W.*error`), said);
    });
  });
}

const writeTypeScript = (some) => [
  'import type { Call, Tools, ToolName } from "./outline";',
  "declare const call: Call;",
  "// The type of an answer follows from the name of the tool.",
  'export const named: Promise<Tools["list_trash"]["result"]> = call("list_trash", {});',
  "// @ts-expect-error",
  'call("read_document", { document_id: 1 });',
  "// @ts-expect-error",
  'export const unknown: ToolName = "no_such_tool";',
  ...some.flatMap(({ tool, side, how, value, right }, i) => [
    `// ${tool}, ${side}: ${how}`,
    ...(right ? [] : ["// @ts-expect-error"]),
    `export const sample${i}: Tools["${tool}"]["${side}"] = ${JSON.stringify(value)};`,
  ]),
  "",
].join("\n");

const typeScriptFiles = ["../../docs/types/outline.ts", "../../internal/typings/testdata/hostile.ts", "../../internal/typings/testdata/quotes.ts"];

const compileTypeScript = (version) => async (path) => {
  const compilerOptions = {
    strict: true, noEmit: true, exactOptionalPropertyTypes: true, noUnusedLocals: true, noUncheckedIndexedAccess: true,
    isolatedModules: true, target: "es2022", module: "esnext", moduleResolution: "bundler", lib: ["es2022"], types: [],
  };
  writeFileSync(join(path, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  const { code, printed } = await execute(process.execPath, [here(`node_modules/${version}/bin/tsc`), "--pretty", "false", "-p", path], path);
  return { ok: code === 0, said: printed.slice(0, 5000) };
};

describeLanguage("TypeScript", { files: typeScriptFiles, ending: "ts", language: "ts", prints: "typescript", write: writeTypeScript, compile: compileTypeScript("typescript") });

it("compiles with the TypeScript before", async () => {
  const { ok, said } = await compileTypeScript("typescript-5")(folder(typeScriptFiles, {}));
  assert.ok(ok, said);
});

const camelCase = (tool) => tool.split("_").map((word) => word[0].toUpperCase() + word.slice(1)).join("");

// inPython writes a value as Python does.
function inPython(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(inPython).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, inside]) => `${JSON.stringify(key)}: ${inPython(inside)}`).join(", ")}}`;
}

const pythonFiles = ["../../docs/types/outline.py", "../../internal/typings/testdata/hostile.py", "../../internal/typings/testdata/quotes.py"];

describeLanguage("Python", {
  files: pythonFiles,
  ending: "py",
  language: "python",
  write: (some) => ["import outline", ...some.flatMap(({ tool, side, how, value, right }, i) => [
    `# ${tool}, ${side}: ${how}`,
    `sample${i}: outline.${camelCase(tool)}${camelCase(side)} = ${inPython(value)}${right ? "" : "  # pyright: ignore"}`,
  ]), ""].join("\n"),
  compile: async (path) => {
    writeFileSync(join(path, "pyrightconfig.json"), JSON.stringify({
      typeCheckingMode: "strict", pythonVersion: "3.11", reportUnnecessaryTypeIgnoreComment: "error",
    }));
    const { code, printed } = await execute(process.execPath, [here("node_modules/pyright/index.js"), "-p", path], path);
    return { ok: code === 0, said: printed.slice(0, 5000) };
  },
});

describe("the Python interpreter", () => {
  it("compiles the types", async () => {
    const path = folder(pythonFiles, {});
    for (const module of ["outline", "hostile", "quotes"]) {
      const compiled = await execute("python3", ["-m", "py_compile", `${module}.py`], path);
      assert.equal(compiled.code, 0, compiled.printed);
      const imported = await execute("python3", ["-c", `import ${module}`], path);
      assert.equal(imported.code, 0, imported.printed);
    }
  });

  it("knows which keys are always there, as the schemas say", async () => {
    const path = folder(pythonFiles, { "keys.py": `
import json, sys, typing, outline
def keys(kind): return [sorted(kind.__required_keys__), sorted(kind.__optional_keys__)]
print(json.dumps({name: {
    "arguments": keys(getattr(outline, name + "Arguments")),
    "result": [keys(shape) for shape in typing.get_args(getattr(outline, name + "Result")) if shape is not outline.Failure],
} for name in sys.argv[1:]}))
` });
    const { code, printed } = await execute("python3", ["keys.py", ...definitions.map(({ name }) => camelCase(name))], path);
    assert.equal(code, 0, printed);
    const keys = ({ properties, required = [] }) => [required.toSorted(), Object.keys(properties).filter((key) => !required.includes(key)).sort()];
    const plain = ({ required }) => required.length === 2 && required.includes("error") && required.includes("code");
    for (const { name, inputSchema, outputSchema } of definitions) {
      assert.deepEqual(JSON.parse(printed)[camelCase(name)], {
        arguments: keys(inputSchema),
        result: outputSchema.anyOf.filter((shape) => !plain(shape)).map(keys),
      }, name);
    }
  });
});

// example returns all the documentation's examples in one language, joined.
function example(language) {
  const found = [...readFileSync(here("../../docs/types/README.md"), "utf8").matchAll(new RegExp("```" + language + "\\n(.*?)```", "gs"))];
  assert.ok(found.length > 0, `no example in ${language}`);
  return found.map(([, block]) => block).join("\n");
}

describe("the example in TypeScript", () => {
  let typed, textOf, sectionOf, passagesOf;
  before(async () => {
    const path = folder([], {
      "example.mjs": ts.transpileModule(example("ts"), { compilerOptions: { target: "es2022", module: "esnext" } }).outputText,
    });
    ({ typed, textOf, sectionOf, passagesOf } = await import(join(path, "example.mjs")));
  });
  // recorded returns the arguments of a recorded call.
  const recorded = (tool, name) => all.find((sample) => sample.tool === tool && sample.side === "arguments" && sample.how === name).value;

  it("says which setting is missing when the server answers text alone", async () => {
    await withClient({}, async (client) => {
      await assert.rejects(textOf(typed(client), "x"), /^Error: read_document answered text alone: set OUTLINE_STRUCTURED_OUTPUT=true/);
    });
  });

  it("reads with structured output", async () => {
    await withClient({ OUTLINE_STRUCTURED_OUTPUT: "true" }, async (client) => {
      const call = typed(client);
      const { document_id: id, heading } = recorded("read_document_section", "success");
      assert.ok((await textOf(call, id)).includes(heading));
      assert.ok((await sectionOf(call, id, heading)).includes(heading));
      await assert.rejects(sectionOf(call, id, "no such heading"), /There are: .*,/);
      const equal = recorded("read_document_section", "success-one-of-two-of-the-same-name");
      await assert.rejects(sectionOf(call, equal.document_id, equal.heading), /Lines: \d+, \d+$/);
      await assert.rejects(textOf(call, "x"), /^Error: (not_found|invalid_arguments): /);
      const { query } = recorded("search_documents", "success");
      assert.ok((await passagesOf(call, query)).length > 0);
    });
  });
});

it("is the types of the program under test", async () => {
  for (const [language, file] of [["typescript", "outline.ts"], ["python", "outline.py"], ["go", "outline/outline.go"]]) {
    assert.equal(await print(language), readFileSync(here(`../../docs/types/${file}`), "utf8"), file);
  }
});
