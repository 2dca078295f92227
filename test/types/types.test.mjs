// The types that docs/scripting.md makes match real answers, and no wrong ones.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, describe, it } from "node:test";
import ts from "typescript-5";
import { binary, calls, definitions, withClient } from "./answers.mjs";
import { samples } from "./changes.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const page = readFileSync(here("../../docs/scripting.md"), "utf8");

// execute returns a program's exit code and output.
const execute = (program, args, cwd, env = process.env) => new Promise((done) => {
  execFile(program, args, { cwd, env, maxBuffer: 1 << 28, timeout: 120_000 }, (error, stdout, stderr) => {
    done({ code: error ? (error.code ?? error.signal) : 0, printed: stdout + stderr });
  });
});

// blocks returns the page's blocks of code in a language.
function blocks(pattern) {
  const found = [...page.matchAll(new RegExp(`${pattern}\\n(.*?)\`\`\``, "gs"))].map(([, block]) => block);
  assert.ok(found.length > 0, `docs/scripting.md has no ${pattern}`);
  return found;
}

const example = blocks("```ts").join("\n");

let all, tools, folder;

// argumentless returns whether a tool has no arguments. TypeScript accepts any object as
// one without properties.
const argumentless = (tool) => Object.keys(tools.find(({ name }) => name === tool).inputSchema.properties).length === 0;

before(async () => {
  tools = await definitions();
  all = samples(await calls(tools)).filter(({ tool, side, right }) => right || side === "result" || !argumentless(tool));
  folder = mkdtempSync(join(tmpdir(), "outline-types-"));
  mkdirSync(join(folder, "bin"));
  symlinkSync(resolve(binary), join(folder, "bin", "outline-mcp"));
  symlinkSync(here("node_modules"), join(folder, "node_modules"));
  copyFileSync(here("../../docs/examples/schema.jq"), join(folder, "schema.jq"));
  writeFileSync(join(folder, "package.json"), readFileSync(here("package.json")));
  const env = { ...process.env, PATH: join(folder, "bin") + delimiter + process.env.PATH, npm_config_yes: "false" };
  for (const command of blocks("<!-- run by test/types -->\n```sh")) {
    const { code, printed } = await execute("bash", ["-euo", "pipefail", "-c", command], folder, env);
    assert.equal(code, 0, `${command}\n${printed}`);
  }
});
after(() => rmSync(folder, { recursive: true }));

it("tries each tool with right and wrong arguments, successes and failures", () => {
  for (const { name } of tools) {
    const of = (side, failed) => all.filter((sample) => sample.tool === name && sample.side === side && sample.failed === failed);
    for (const some of [of("arguments", false), of("result", false), of("result", true)]) {
      assert.ok(some.some(({ right }) => right), name);
      if (some[0].side === "arguments" && argumentless(name)) continue;
      for (const kind of [" is null", " has more", " is a text", " is a number"]) {
        assert.ok(some.some(({ right, how }) => !right && how.endsWith(kind)), `${name}: nothing that${kind}`);
      }
    }
    assert.ok(of("result", false).some(({ right, how }) => !right && how.endsWith(" is missing")), `${name}: nothing is missing`);
  }
});

const written = (some) => [
  'import type { Tools } from "./tools";',
  "type Result<Name extends keyof Tools> = Tools[Name][\"success\"] | Tools[Name][\"failure\"];",
  ...some.flatMap(({ tool, side, how, value, right }, i) => [
    `// ${tool}, ${side}: ${how}`,
    ...(right ? [] : ["// @ts-expect-error"]),
    `export const sample${i}: ${side === "result" ? `Result<"${tool}">` : `Tools["${tool}"]["arguments"]`} = ${JSON.stringify(value)};`,
  ]),
  "",
].join("\n");

// compile compiles files beside the types, and returns whether that succeeds and what
// the compiler says.
async function compile(version, files) {
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const compilerOptions = {
    strict: true, noEmit: true, exactOptionalPropertyTypes: true, noUnusedLocals: true, noUncheckedIndexedAccess: true,
    isolatedModules: true, target: "es2022", module: "esnext", moduleResolution: "bundler", lib: ["es2022"], types: [],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["tools.ts", ...Object.keys(files)] }));
  const { code, printed } = await execute(process.execPath, [here(`node_modules/${version}/bin/tsc`), "--pretty", "false", "-p", folder], folder);
  return { ok: code === 0, said: printed.slice(0, 5000) };
}

describe("TypeScript", () => {
  it("refuses wrong values; takes right ones and the example", async () => {
    const { ok, said } = await compile("typescript", { "samples.ts": written(all), "example.ts": example });
    assert.ok(ok, said);
  });

  it("notices when a wrong value passes or a right one does not", async () => {
    const { ok, said } = await compile("typescript", {
      "refused.ts": written([{ ...all.find(({ right }) => right), right: false }]),
      "passed.ts": written([{ ...all.find(({ right }) => !right), right: true }]),
    });
    assert.ok(!ok);
    for (const file of ["refused", "passed"]) assert.match(said, new RegExp(`${file}\\.ts\\W.*error`), said);
  });

  it("compiles with the TypeScript before", async () => {
    const { ok, said } = await compile("typescript-5", { "example.ts": example });
    assert.ok(ok, said);
  });
});

describe("the example in TypeScript", () => {
  let call, passagesOf;
  before(async () => {
    const file = join(folder, "example.mjs");
    writeFileSync(file, ts.transpileModule(example, { compilerOptions: { target: "es2022", module: "esnext" } }).outputText);
    ({ call, passagesOf } = await import(file));
  });
  // recorded returns the arguments of a recorded call.
  const recorded = (tool, name) => all.find((sample) => sample.tool === tool && sample.side === "arguments" && sample.how === name).value;

  it("says which setting is missing when the server answers text alone", async () => {
    await withClient({}, async (client) => {
      await assert.rejects(call(client, "list_trash", {}), /^Error: list_trash answered text alone: set OUTLINE_STRUCTURED_OUTPUT=true/);
    });
  });

  it("calls with structured output", async () => {
    await withClient({ OUTLINE_STRUCTURED_OUTPUT: "true" }, async (client) => {
      await assert.rejects(call(client, "read_document", { document_id: "x" }), /^Error: (not_found|invalid_arguments): /);
      const { query } = recorded("search_documents", "success");
      assert.ok((await passagesOf(client, query)).length > 0);
    });
  });
});

it("makes types in Go that compile and keep every key of an answer", async () => {
  const decode = `package outline

import ("encoding/json"; "os"; "reflect"; "testing")

func TestAnswers(t *testing.T) {
	raw, err := os.ReadFile("answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var answers map[string]json.RawMessage
	if err := json.Unmarshal(raw, &answers); err != nil {
		t.Fatal(err)
	}
	for name, typed := range map[string]any{"read_document": new(ReadDocumentSuccess), "search_documents": new(SearchDocumentsSuccess_1), "get_collection_structure": new(GetCollectionStructureSuccess)} {
		if err := json.Unmarshal(answers[name], typed); err != nil {
			t.Fatal(name, err)
		}
		again, _ := json.Marshal(typed)
		var want, got any
		_ = json.Unmarshal(answers[name], &want)
		_ = json.Unmarshal(again, &got)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %s", name, again)
		}
	}
}
`;
  const answer = (tool) => all.find((sample) => sample.tool === tool && sample.side === "result" && sample.how === "success").value;
  const names = ["read_document", "search_documents", "get_collection_structure"];
  writeFileSync(join(folder, "answers.json"), JSON.stringify(Object.fromEntries(names.map((name) => [name, answer(name)]))));
  writeFileSync(join(folder, "tools_test.go"), decode);
  writeFileSync(join(folder, "go.mod"), "module outline\n\ngo 1.24\n");
  const { code, printed } = await execute("go", ["test", "tools.go", "tools_test.go"], folder, { ...process.env, GOFLAGS: "", GOWORK: "off", GOTOOLCHAIN: "local" });
  assert.equal(code, 0, printed);
});
