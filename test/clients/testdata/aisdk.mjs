// An agent with the AI SDK, which accepts the first confirmation and declines the second.
import { generateText, stepCountIs } from "ai";
import { createMCPClient, ElicitationRequestSchema } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";

const { MODEL, MCP_COMMAND, MCP_URL, MCP_KEY } = process.env;
const mcp = await createMCPClient({
  capabilities: { elicitation: {} },
  transport: MCP_URL
    ? { type: "http", url: MCP_URL, headers: { "X-Outline-API-Key": MCP_KEY } }
    : new Experimental_StdioMCPTransport({ command: MCP_COMMAND }),
});
let asked = 0;
mcp.onElicitationRequest(ElicitationRequestSchema, async () => (asked++ ? { action: "decline" } : { action: "accept", content: {} }));
const model = createOpenAICompatible({ name: "scripted", baseURL: `${MODEL}/v1`, apiKey: "dummy" })("scripted");
const { text } = await generateText({ model, tools: await mcp.tools(), prompt: "go", stopWhen: stepCountIs(40) });
console.log(text);
await mcp.close();
