// Installs a bundle as Claude Desktop does, with the format's library, and starts the
// server in it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { unpackExtension, validateManifest } from "@anthropic-ai/mcpb";
import { getMcpConfigForManifest } from "@anthropic-ai/mcpb/node";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const bundle = process.env.OUTLINE_MCP_BUNDLE;
assert.ok(bundle, "set OUTLINE_MCP_BUNDLE to the bundle to test");

let folder, manifest, workspace, address;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "outline-mcp-bundle-"));
  assert.ok(await unpackExtension({ mcpbPath: bundle, outputDir: folder, silent: true }), "unpacked");
  manifest = JSON.parse(await readFile(path.join(folder, "manifest.json"), "utf8"));
  // An Outline to talk to: the sample workspace of the program in the bundle.
  const { command } = await configured({ api_key: "ol_api_demo_admin" });
  workspace = spawn(command, ["workspace", "--listen", "127.0.0.1:0"], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: workspace.stdout })) {
    const [name, value] = line.split("=");
    if (name === "OUTLINE_API_URL") address = value;
    if (name === "OUTLINE_API_KEY") break;
  }
});

after(async () => {
  if (workspace?.exitCode === null) {
    const ended = new Promise((resolve) => workspace.once("exit", resolve));
    workspace.kill("SIGTERM");
    await ended;
  }
  await rm(folder, { recursive: true });
});

// configured returns how a client starts the server for a user who entered these values
// in the form.
function configured(form) {
  return getMcpConfigForManifest({ manifest, extensionPath: folder, systemDirs: {}, userConfig: form, pathSeparator: path.sep });
}

// connected connects a client to the configured server.
async function connected(form, use) {
  const { command, args, env } = await configured(form);
  const client = new Client({ name: "bundle-test", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, env, stderr: "inherit" }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

test("the manifest is valid by the format's own tool", () => {
  assert.ok(validateManifest(path.join(folder, "manifest.json")));
});

test("with a URL and a key the server reads documents, and has the version and tools of the manifest", () =>
  connected({ api_key: "ol_api_demo_member", api_url: address }, async (client) => {
    assert.equal(client.getServerVersion().version.replace("devel", "0.0.0-devel"), manifest.version);
    const { tools } = await client.listTools();
    assert.deepEqual(manifest.tools, tools.map(({ name, description }) => ({ name, description })));
    const found = await client.callTool({ name: "search_documents", arguments: { query: "soup" } });
    assert.match(found.content[0].text, /Friday soup/);
    assert.ok(!found.isError);
  }));

test("only reading leaves the tools that read", () =>
  connected({ api_key: "ol_api_demo_member", api_url: address, read_only: true }, async (client) => {
    const { tools } = await client.listTools();
    assert.ok(tools.length > 0 && tools.length < manifest.tools.length);
    assert.ok(tools.every((tool) => tool.annotations.readOnlyHint));
  }));

for (const [what, form] of [
  ["never filled in", {}],
  ["left empty", { api_url: "", read_only: "" }],
]) {
  test(`the server starts when what is optional was ${what}`, () =>
    connected({ api_key: "ol_api_demo_member", ...form }, async (client) => {
      assert.equal((await client.listTools()).tools.length, manifest.tools.length);
    }));
}

test("without a key the client does not start the server, and asks", async () => {
  assert.equal(await configured({ api_url: address }), undefined);
});

test("the key is asked for as a secret and goes into the environment, not among the arguments", async () => {
  assert.equal(manifest.user_config.api_key.sensitive, true);
  const { args, env } = await configured({ api_key: "ol_api_demo_member" });
  assert.ok(Object.values(env).includes("ol_api_demo_member"));
  assert.ok(!args.join(" ").includes("ol_api"));
});
