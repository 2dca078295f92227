import type { ToolResult } from "./host";

/**
 * Returns the structured content of a result. Unless the server's operator has switched it on for
 * all clients, it is in _meta, where models do not see it (StructuredContent in views.go).
 */
export function structuredOf(result: ToolResult): unknown {
  return result.structuredContent ?? result._meta?.["outline-mcp/structuredContent"];
}
