// Unified diffs, as the tools answer them, and what differs within a line.
import { diffArrays } from "diff";

/** A line of a diff, with its numbers in both texts, which start at 1. */
export interface Line {
  kind: "same" | "removed" | "added";
  text: string;
  before?: number;
  after?: number;
}

/** Lines that follow each other in both texts. */
export interface Hunk {
  /** The number of the first line in each text. */
  before: number;
  after: number;
  lines: Line[];
}

/** Parses a unified diff. It may end early: the counts in the headers are not relied on. */
export function parseDiff(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let before = 0, after = 0;
  for (const line of diff.replace(/\n$/, "").split("\n")) {
    const header = /^@@ -(\d+)(,0)?(?:,\d+)? \+(\d+)(,0)?(?:,\d+)? @@/.exec(line);
    if (header) {
      // A range without lines names the line before it.
      before = Number(header[1]) + (header[2] ? 1 : 0);
      after = Number(header[3]) + (header[4] ? 1 : 0);
      hunks.push({ before, after, lines: [] });
      continue;
    }
    const lines = hunks.at(-1)?.lines;
    const text = line.slice(1);
    if (!lines) continue;
    if (line.startsWith("-")) lines.push({ kind: "removed", text, before: before++ });
    else if (line.startsWith("+")) lines.push({ kind: "added", text, after: after++ });
    else lines.push({ kind: "same", text, before: before++, after: after++ });
  }
  return hunks.filter((hunk) => hunk.lines.length > 0);
}

/** A line that was removed and the one added in its place; for an unchanged line, both are the same. */
export interface Pair {
  before?: Line;
  after?: Line;
}

/** Pairs the lines of a hunk for two columns. */
export function pairs(lines: Line[]): Pair[] {
  const out: Pair[] = [];
  let removed: Line[] = [], added: Line[] = [];
  const flush = () => {
    for (let i = 0; i < Math.max(removed.length, added.length); i++) {
      out.push({ ...(removed[i] && { before: removed[i]! }), ...(added[i] && { after: added[i]! }) });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === "removed") removed.push(line);
    else if (line.kind === "added") added.push(line);
    else {
      flush();
      out.push({ before: line, after: line });
    }
  }
  flush();
  return out;
}

/** A part of a text, from its first character to before its last, in UTF-16 code units. */
export type Range = [from: number, to: number];

// Words of any script; in scripts without spaces, each character stands for one.
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]\p{M}*|[\p{L}\p{M}\p{N}_]+|\s+|[^]/gu;

/**
 * Returns which words differ between two lines, or undefined if the lines have so little in
 * common that marks would not help.
 */
export function words(before: string, after: string): { removed: Range[]; added: Range[] } | undefined {
  const changes = diffArrays(before.match(word) ?? [], after.match(word) ?? [], { timeout: 50, maxEditLength: 400 });
  if (!changes) return undefined;
  const removed: Range[] = [], added: Range[] = [];
  let atBefore = 0, atAfter = 0, same = 0;
  for (const change of changes) {
    const text = change.value.join(""), n = text.length;
    if (change.removed) removed.push([atBefore, (atBefore += n)]);
    else if (change.added) added.push([atAfter, (atAfter += n)]);
    else {
      atBefore += n;
      atAfter += n;
      same += text.trim().length;
    }
  }
  if (same * 4 < Math.min(before.trim().length, after.trim().length)) return undefined;
  return { removed: joined(before, removed), added: joined(after, added) };
}

/** Joins ranges with only spaces between them, and leaves out spaces at their ends. */
function joined(text: string, ranges: Range[]): Range[] {
  const out: Range[] = [];
  for (const [from, to] of ranges) {
    const last = out.at(-1);
    if (last && text.slice(last[1], from).trim() === "") last[1] = to;
    else out.push([from, to]);
  }
  return out.map(([from, to]) => {
    const part = text.slice(from, to);
    if (part.trim() === "") return [from, to];
    return [to - part.trimStart().length, from + part.trimEnd().length];
  });
}
