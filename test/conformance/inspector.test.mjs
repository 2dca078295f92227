// Runs the official Inspector's command line on the tool list, because it knows which
// schemas cause trouble in other clients, and on a tool that answers with an image.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "../serve.mjs";
import { binary, inspector } from "./tools.mjs";

const list = ["--method", "tools/list", "--strict"];
const image = [
  "--method", "tools/call", "--tool-name", "read_attachment",
  "--tool-arg", "attachment_id=/api/attachments.redirect?id=3d0c4be5-6d0f-4a5a-8c3e-0f6a8e1b7c21",
];

for (const structured of ["false", "true"]) {
  describe(`Inspector, OUTLINE_STRUCTURED_OUTPUT=${structured}`, () => {
    const content = (result) => {
      assert.equal(result.code, 0, result.stderr);
      assert.equal(result.stderr, "");
      const { tools } = JSON.parse(result.stdout);
      assert.ok(tools.length > 30, `${tools.length} tools`);
      for (const tool of tools) assert.equal(tool.outputSchema !== undefined, structured === "true", tool.name);
    };

    const shown = (result) => {
      assert.equal(result.code, 0, result.stderr);
      const { content: [text, picture], structuredContent, isError } = JSON.parse(result.stdout);
      assert.ok(!isError, text.text);
      assert.match(text.text, /^"cell-voltage\.png" /);
      assert.deepEqual([picture.type, picture.mimeType], ["image", "image/png"]);
      assert.equal(Buffer.from(picture.data, "base64").toString("latin1", 0, 8), "\x89PNG\r\n\x1a\n");
      assert.equal(structuredContent?.kind, structured === "true" ? "image" : undefined);
    };

    it("finds nothing wrong over stdio, and gets the image", async () => {
      const program = ["-e", `OUTLINE_STRUCTURED_OUTPUT=${structured}`, "-e", "LOG_LEVEL=error", binary, "--demo"];
      content(await inspector(...program, ...list));
      shown(await inspector(...program, ...image));
    });

    it("finds nothing wrong over HTTP, and gets the image", async (t) => {
      const server = await serve(binary, ["--demo"], { MCP_TRANSPORT: "http", MCP_PORT: "0", LOG_FORMAT: "json", OUTLINE_STRUCTURED_OUTPUT: structured });
      t.after(server.stop);
      const program = ["--transport", "http", "--server-url", server.url.href, "--header", "Authorization: Bearer ol_api_demo_viewer"];
      content(await inspector(...program, ...list));
      shown(await inspector(...program, ...image));
    });
  });
}

// asked returns what the program answers on the sample workspace.
const asked = async (...args) => {
  const result = await inspector("-e", "LOG_LEVEL=error", binary, "--demo", ...args);
  assert.equal(result.code, 0, result.stderr);
  return JSON.parse(result.stdout);
};

describe("Inspector and skills", () => {
  it("reads every file, and finds its digest right", async () => {
    const { name, outcome } = await asked("--method", "skills/list", "--verify", "--require-digests");
    assert.deepEqual([name, outcome], ["outline-wiki", "verified"]);
  });
});

describe("Inspector and resources", () => {
  it("lists, and reads what it lists", async () => {
    const { resources } = await asked("--method", "resources/list");
    assert.ok(resources.length > 20, `${resources.length} resources`);
    const { contents: [content] } = await asked("--method", "resources/read", "--uri", resources[0].uri);
    assert.match(content.text, new RegExp(`^# ${resources[0].name}\n`));
  });

  it("shows the templates", async () => {
    const { resourceTemplates } = await asked("--method", "resources/templates/list");
    assert.equal(resourceTemplates.length, 7);
  });
});

describe("Inspector and prompts", () => {
  it("lists them", async () => {
    const { prompts } = await asked("--method", "prompts/list");
    assert.equal(prompts.length, 6);
  });

  it("gets one with its material", async () => {
    const { messages } = await asked("--method", "prompts/get", "--prompt-name", "review_document", "--prompt-args", "document=Release process");
    assert.match(messages[0].content.text, /^Review the document "Release process"/);
    assert.match(messages[1].content.resource.text, /# Release process/);
  });
});
