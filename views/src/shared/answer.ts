/** An answer of a tool, as far as views need it. */
export interface Answer {
  content?: { type: string; text?: string; data?: string; mimeType?: string }[];
  structuredContent?: unknown;
  _meta?: Record<string, unknown>;
  isError?: boolean;
}

/** Something that did not work, said so that it can be shown to the reader. */
export class Problem extends Error {}

/**
 * Returns the structured content of an answer, or fails with what the tool says. Unless the
 * server's operator has switched it on for all clients, it is in _meta, where models do not see it
 * (StructuredContent in views.go).
 */
export function structuredOf(answer: Answer): Record<string, unknown> {
  if (answer.isError) throw problemOf(answer);
  return contentOf(answer) ?? fail(textOf(answer) || "The answer has nothing that this view can show.");
}

/** Returns what a tool says that failed. */
export function problemOf(answer: Answer): Problem {
  const { message, error } = contentOf(answer) ?? {};
  const said = [message, error, textOf(answer)].find((said) => typeof said === "string" && said !== "");
  return new Problem(String(said ?? "The call failed."));
}

function contentOf(answer: Answer): Record<string, unknown> | undefined {
  const content = answer.structuredContent ?? answer._meta?.["outline-mcp/structuredContent"];
  return typeof content === "object" && content !== null && !Array.isArray(content) ? (content as Record<string, unknown>) : undefined;
}

function textOf(answer: Answer): string {
  return (answer.content ?? []).map((block) => block.text ?? "").join("\n").trim();
}

function fail(said: string): never {
  throw new Problem(said);
}
