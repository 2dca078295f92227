// Calls the tools of an outline-mcp server over HTTP, with the official SDK.
import { readFile } from "node:fs/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Tools } from "./tools.js";

/** The failure of a tool. Its code is one of a fixed list, so you can switch on it. */
export class Failure extends Error {
  constructor(readonly code: string, message: string) {
    super(message);
  }
}

/** Calls a tool. Its name decides the types of its arguments and its answer. */
export type Call = <Name extends keyof Tools>(tool: Name, args: Tools[Name]["arguments"]) => Promise<Tools[Name]["success"]>;

/** Runs a script with its arguments and a connection, and reports what goes wrong. */
export async function run(main: (call: Call, ...args: string[]) => Promise<number>, usage: string) {
  const args = process.argv.slice(2);
  if (args.length !== usage.split(" ").length) {
    console.error(`usage: ${usage}`);
    process.exitCode = 2;
    return;
  }
  const key = process.env.OUTLINE_API_KEY;
  if (!key) {
    console.error("set OUTLINE_API_KEY");
    process.exitCode = 1;
    return;
  }
  const client = new Client({ name: "example", version: "1" });
  try {
    const url = new URL(process.env.OUTLINE_MCP_URL ?? "http://127.0.0.1:3000/mcp");
    const headers = { "X-Outline-API-Key": key };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } })).catch((error: Error) => {
      throw new Failure("unreachable", `no connection to ${url}: ${(error.cause as Error | undefined)?.message ?? error.message}`);
    });
    process.exitCode = await main((tool, args) => call(client, tool, args), ...args);
  } catch (error) {
    console.error(error instanceof Failure ? `${error.message} (${error.code})` : String(error));
    process.exitCode = 1;
  } finally {
    await client.close();
  }
}

async function call<Name extends keyof Tools>(client: Client, tool: Name, args: Tools[Name]["arguments"]): Promise<Tools[Name]["success"]> {
  const { structuredContent, isError } = await client.callTool({ name: tool, arguments: { ...args } });
  const content = structuredContent as (Tools[Name]["failure"] & { results?: unknown }) | undefined;
  if (!content) throw new Failure("unsupported", "set OUTLINE_STRUCTURED_OUTPUT=true for the server");
  // A batch in which every item failed is also a failure: its results say more.
  if (isError && !content.results) throw new Failure(content.code, content.error);
  return structuredContent as Tools[Name]["success"];
}

/** Returns the text in a file, without the byte order mark that editors on Windows write. */
export async function text(path: string): Promise<string> {
  return new TextDecoder("utf-8", { fatal: true }).decode(await readFile(path));
}

/** Returns the lines of a file that are not blank. */
export async function lines(path: string): Promise<string[]> {
  return (await text(path)).split("\n").map((line) => line.trim()).filter(Boolean);
}
