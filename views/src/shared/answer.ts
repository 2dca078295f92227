// An answer of a tool, as far as views need it.
export interface Answer {
  content?: { type: string; text?: string }[];
  structuredContent?: Record<string, unknown>;
  _meta?: Record<string, unknown>;
  isError?: boolean;
}

// structuredOf returns the structured content of an answer. Unless the server's operator
// has switched it on for all clients, it is in _meta, where models do not see it
// (StructuredContent in views.go).
export function structuredOf(answer: Answer): Record<string, unknown> | undefined {
  return answer.structuredContent ?? (answer._meta?.["outline-mcp/structuredContent"] as Record<string, unknown> | undefined);
}
