// Has both generations of the SDK show the questions of the server to a person, where the
// transport and the version of the protocol allow it.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as HTTP1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { connect } from "./connect.mjs";

const capabilities = { elicitation: { form: {} } };
const soup = "488d6e14-db91-4e8e-99b4-c468545e6dc7";

// Each kind makes a client whose person answers with a function.
const newest = (answer) => (self) => {
  const client = new Client(self, { capabilities, versionNegotiation: { mode: "auto" } });
  client.setRequestHandler("elicitation/create", ({ params }) => answer(params));
  return client;
};
const usual = (answer) => (self) => {
  const client = new Client(self, { capabilities });
  client.setRequestHandler("elicitation/create", ({ params }) => answer(params));
  return client;
};
const first = (answer) => (self) => {
  const client = new Client1(self, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params));
  return client;
};

const asking = {
  "SDK 1 over stdio": [first, { stdio: Stdio1 }],
  "client 2 over stdio, as of 2025": [usual, { stdio: StdioClientTransport }],
  "client 2 over stdio": [newest, { stdio: StdioClientTransport }],
  "client 2 over HTTP": [newest, { http: StreamableHTTPClientTransport }],
};
const notAsking = {
  "SDK 1 over HTTP": [first, { http: HTTP1 }],
  "client 2 over HTTP, as of 2025": [usual, { http: StreamableHTTPClientTransport }],
};

// call deletes a document, and returns the result and what the person was asked.
async function call([make, transport], answer, settings) {
  const asked = [];
  const { client, close } = await connect({ client: make((question) => { asked.push(question); return answer; }), ...transport }, settings);
  try {
    await client.listTools(); // from then on, the client validates results
    const result = await client.callTool({ name: "delete_document", arguments: { document_id: soup } });
    return { asked, text: result.content[0].text, failed: result.isError === true };
  } finally {
    await close();
  }
}

for (const structured of ["false", "true"]) {
  const settings = { OUTLINE_CONFIRM: "deletes", OUTLINE_STRUCTURED_OUTPUT: structured };
  describe(`a person who is asked, OUTLINE_STRUCTURED_OUTPUT=${structured}`, () => {
    for (const [name, kind] of Object.entries(asking)) {
      it(`agrees: ${name}`, async () => {
        const { asked, text, failed } = await call(kind, { action: "accept", content: { confirm: true } }, settings);
        assert.deepEqual(asked.map(({ message }) => message), ['Move the document "Friday soup 🍲" in the collection "Handbook" to the trash?']);
        assert.deepEqual(asked[0].requestedSchema, { type: "object", properties: {} });
        assert.match(text, /^Moved to the trash/);
        assert.equal(failed, false);
      });
      it(`declines: ${name}`, async () => {
        const { asked, text, failed } = await call(kind, { action: "decline" }, settings);
        assert.equal(asked.length, 1);
        assert.match(text, /no one confirmed it: the user declined/);
        assert.equal(failed, true);
      });
    }
    for (const [name, kind] of Object.entries(notAsking)) {
      it(`cannot be asked: ${name}`, async () => {
        const { asked, text, failed } = await call(kind, { action: "accept", content: { confirm: true } }, settings);
        assert.deepEqual(asked, []);
        assert.match(text, /this client cannot show the question/);
        assert.equal(failed, true);
      });
    }
  });
}
