// Completes arguments in the official Inspector, whose sessions know completions.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { serve } from "../serve.mjs";
import { binary, session } from "./tools.mjs";

describe("Inspector", () => {
  after(() => session("daemon", "stop"));

  const answer = async (...args) => {
    const { code, stdout, stderr } = await session(...args);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout);
  };
  const completes = async (connection) => {
    const complete = (type, ref, argument, value) => answer("--connection", connection, "prompts/complete",
      "--complete-ref-type", type, "--complete-ref", ref, "--complete-arg-name", argument, "--complete-arg-value", value);
    assert.deepEqual((await complete("ref/prompt", "review_document", "document", "friday")).values, ["friday-soup-1wPyxUCdt9"]);
    assert.deepEqual((await complete("ref/resource", "outline://collections/{id}", "id", "hand")).values, ["handbook-mTem8tcJ8a"]);
  };

  for (const era of ["legacy", "modern"]) {
    it(`completes over stdio, ${era}`, async () => {
      await answer("--connection", `stdio-${era}`, "connect", "--era", era, "-e", "LOG_LEVEL=error", "--", binary, "--demo");
      await completes(`stdio-${era}`);
    });

    it(`completes over HTTP, ${era}`, async (t) => {
      const server = await serve(binary, ["--demo"], { MCP_TRANSPORT: "http", MCP_PORT: "0", LOG_FORMAT: "json" });
      t.after(server.stop);
      await answer("--connection", `http-${era}`, "connect", "--era", era, "--transport", "http", "--server-url", server.url.href);
      await completes(`http-${era}`);
      await answer("disconnect", `http-${era}`);
    });
  }
});
