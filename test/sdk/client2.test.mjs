// The second generation of the SDK, with the protocol of 2026 and that of 2025, its
// default.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { hold } from "./hold.mjs";

const newest = (self) => new Client(self, { versionNegotiation: { mode: "auto" } });
const usual = (self) => new Client(self);

hold("client 2 over HTTP", { version: "2026-07-28", client: newest, http: StreamableHTTPClientTransport });
hold("client 2 over stdio", { version: "2026-07-28", client: newest, stdio: StdioClientTransport });
hold("client 2 over HTTP, as of 2025", { version: "2025-11-25", client: usual, http: StreamableHTTPClientTransport }, { readOnly: true });
