// The first generation of the SDK, the strictest client of all.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { hold } from "./hold.mjs";

const client = (self) => new Client(self);

hold("SDK 1 over stdio", { client, stdio: StdioClientTransport }); // over stdio it does not expose the version
hold("SDK 1 over HTTP", { version: "2025-11-25", client, http: StreamableHTTPClientTransport });
