// Runs the official Inspector's command line on the tool list: it knows which schemas
// cause trouble in other clients.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "../serve.mjs";
import { binary, inspector } from "./tools.mjs";

const list = ["--method", "tools/list", "--strict"];

for (const structured of ["false", "true"]) {
  describe(`Inspector, OUTLINE_STRUCTURED_OUTPUT=${structured}`, () => {
    const content = (result) => {
      assert.equal(result.code, 0, result.stderr);
      assert.equal(result.stderr, "");
      const { tools } = JSON.parse(result.stdout);
      assert.ok(tools.length > 30, `${tools.length} tools`);
      for (const tool of tools) assert.equal(tool.outputSchema !== undefined, structured === "true", tool.name);
    };

    it("finds nothing wrong over stdio", async () => {
      content(await inspector("-e", `OUTLINE_STRUCTURED_OUTPUT=${structured}`, "-e", "LOG_LEVEL=error", binary, "--demo", ...list));
    });

    it("finds nothing wrong over HTTP", async (t) => {
      const server = await serve(binary, ["--demo"], { MCP_TRANSPORT: "http", MCP_PORT: "0", LOG_FORMAT: "json", OUTLINE_STRUCTURED_OUTPUT: structured });
      t.after(server.stop);
      content(await inspector("--transport", "http", "--server-url", server.url.href, "--header", "Authorization: Bearer ol_api_demo_viewer", ...list));
    });
  });
}

describe("Inspector and resources", () => {
  const asked = async (...args) => {
    const result = await inspector("-e", "LOG_LEVEL=error", binary, "--demo", ...args);
    assert.equal(result.code, 0, result.stderr);
    return JSON.parse(result.stdout);
  };

  it("lists, and reads what it lists", async () => {
    const { resources } = await asked("--method", "resources/list");
    assert.ok(resources.length > 20, `${resources.length} resources`);
    const { contents: [content] } = await asked("--method", "resources/read", "--uri", resources[0].uri);
    assert.match(content.text, new RegExp(`^# ${resources[0].name}\n`));
  });

  it("shows the templates", async () => {
    const { resourceTemplates } = await asked("--method", "resources/templates/list");
    assert.equal(resourceTemplates.length, 6);
  });
});
