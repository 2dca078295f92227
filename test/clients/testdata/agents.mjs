// An agent with the OpenAI Agents SDK.
import { Agent, run, MCPServerStdio, MCPServerStreamableHttp, setDefaultOpenAIClient, setTracingDisabled } from "@openai/agents";
import OpenAI from "openai";

const { MODEL, MCP_COMMAND, MCP_URL, MCP_KEY } = process.env;
setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI({ apiKey: "dummy", baseURL: `${MODEL}/v1` }));
const server = MCP_URL
  ? new MCPServerStreamableHttp({ name: "outline", url: MCP_URL, requestInit: { headers: { "X-Outline-API-Key": MCP_KEY } } })
  : new MCPServerStdio({ name: "outline", command: MCP_COMMAND, args: [] });
await server.connect();
const agent = new Agent({ name: "agent", instructions: "help", model: "gpt-5", mcpServers: [server] });
console.log((await run(agent, "go", { maxTurns: 40 })).finalOutput);
await server.close();
