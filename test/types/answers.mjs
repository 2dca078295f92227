// The tools' definitions and their actual answers: every recorded call is repeated,
// each on its own embedded workspace.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { exampleCalls } from "../calls.mjs";

export const binary = process.env.OUTLINE_MCP_BINARY;
assert.ok(binary, "set OUTLINE_MCP_BINARY to the program to test");

// run returns what the program printed. A failed call has its own exit code and is not
// an error here.
const run = (...args) => new Promise((resolve, reject) => {
  execFile(binary, args, { env: { PATH: process.env.PATH }, maxBuffer: 1 << 26, timeout: 30_000 }, (error, stdout, stderr) => {
    if (stdout === "") reject(new Error(`${args.join(" ")}: ${error}\n${stderr}`));
    else resolve(stdout);
  });
});

// definitions returns the list of tools.
export const definitions = async () => JSON.parse(await run("tools", "--json"));

// withClient starts a server with settings and passes a client to a function.
export async function withClient(settings, use) {
  const server = spawn(binary, ["--demo"], { env: { PATH: process.env.PATH, ...settings }, stdio: ["pipe", "pipe", "ignore"] });
  const timer = setTimeout(() => server.kill(), 30_000);
  const ended = new Promise((resolve) => server.once("close", resolve));
  const waiting = new Map();
  createInterface({ input: server.stdout }).on("line", (line) => {
    const { id, result, error } = JSON.parse(line);
    waiting.get(id)?.(error ?? result);
  }).on("close", () => waiting.forEach((resolve) => resolve({ ended: true })));
  const send = (message) => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const request = (method, params) => new Promise((resolve) => {
    const id = waiting.size + 1;
    waiting.set(id, resolve);
    send({ id, method, params });
  });
  try {
    await request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "types", version: "1" } });
    send({ method: "notifications/initialized" });
    return await use({ callTool: (params) => request("tools/call", params) });
  } finally {
    server.stdin.end();
    await ended;
    clearTimeout(timer);
  }
}

// calls returns the recorded calls of all tools with their schemas and answers: {
// tool, name, args, answer, failed, inputSchema, outputSchema }.
export async function calls(definitions) {
  const examples = exampleCalls();
  const all = definitions.flatMap(({ name, inputSchema, outputSchema }) => examples.filter(({ tool }) => tool === name)
    .map((call) => ({ ...call, failed: call.name.startsWith("failure"), inputSchema, outputSchema })));
  const left = all.values();
  await Promise.all(Array.from({ length: availableParallelism() }, async () => {
    for (const call of left) {
      call.answer = JSON.parse(await run("--demo", "call", call.tool, "--args", JSON.stringify(call.args), "--json"));
    }
  }));
  return all;
}
