// Starts the program under test with the embedded workspace, and connects
// clients to it.
import assert from "node:assert/strict";
import { serve } from "../serve.mjs";

const binary = process.env.OUTLINE_MCP_BINARY;
assert.ok(binary, "set OUTLINE_MCP_BINARY to the program to test");

// connect returns a client of a new program and a function that ends both. The function
// client makes the client; stdio and http are the classes of its transports, of which
// one is given.
export async function connect({ client: make, stdio, http }, settings) {
  const client = make({ name: "sdk-test", version: "1" });
  if (stdio) {
    await client.connect(new stdio({ command: binary, args: ["--demo"], env: settings, stderr: "ignore" }));
    return { client, close: () => client.close() };
  }
  const server = await serve(binary, ["--demo"], { ...settings, MCP_TRANSPORT: "http", MCP_PORT: "0", LOG_FORMAT: "json" });
  const close = async () => {
    await client.close();
    assert.equal(await server.stop(), 0, "exit code after SIGTERM");
  };
  try {
    await client.connect(new http(server.url, { requestInit: { headers: { Authorization: "Bearer ol_api_demo_admin" } } }));
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { client, close };
}
