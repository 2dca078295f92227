// The table of a difference: inline or side by side, with unchanged parts folded.
import { type Hunk, type Line, pairs } from "../shared/diff";
import { button, count, h } from "../shared/dom";
import { LineRenderer } from "./line";

/** How a difference is shown. */
export interface Layout {
  sideBySide: boolean;
  formatted: boolean;
}

/** Unchanged lines between hunks, or behind the last one. */
export interface Gap {
  before: number;
  after: number;
  /** How many lines; undefined behind the last hunk. */
  lines: number | undefined;
  /** The hunk that follows, or the number of hunks. */
  index: number;
}

/**
 * Renders a difference, of which the last hunk can end with the text. Without unfold, unchanged
 * parts only say how long they are.
 */
export function table(hunks: Hunk[], layout: Layout, caption: string, ended: boolean, unfold?: (gap: Gap, control: HTMLButtonElement) => void): HTMLElement {
  const columns = layout.sideBySide ? 4 : 3;
  const bodies: HTMLElement[] = [];
  let before = 1, after = 1;
  hunks.forEach((hunk, index) => {
    if (hunk.after > after) bodies.push(fold({ before, after, lines: hunk.after - after, index }, columns, unfold));
    bodies.push(h("tbody", {}, ...(layout.sideBySide ? columnsOf(hunk, layout) : linesOf(hunk, layout))));
    before = hunk.before + hunk.lines.filter((line) => line.kind !== "added").length;
    after = hunk.after + hunk.lines.filter((line) => line.kind !== "removed").length;
  });
  if (unfold && !ended && hunks.length > 0) bodies.push(fold({ before, after, lines: undefined, index: hunks.length }, columns, unfold));
  const kind = layout.sideBySide ? "difference side-by-side" : "difference";
  const widths = layout.sideBySide && h("colgroup", {}, ...["n", "", "n", ""].map((kind) => h("col", { class: kind })));
  return h("table", { class: kind }, h("caption", { class: "hidden" }, caption), widths, head(layout), ...bodies);
}

function head(layout: Layout): HTMLElement {
  const names = layout.sideBySide ? ["Line before", "Before", "Line after", "After"] : ["Line before", "Line after", "Text"];
  return h("thead", { class: "hidden" }, h("tr", {}, ...names.map((name) => h("th", { scope: "col" }, name))));
}

function fold(gap: Gap, columns: number, unfold?: (gap: Gap, control: HTMLButtonElement) => void): HTMLElement {
  const label = gap.lines === undefined ? "The rest of the document" : count(gap.lines, "unchanged line", "unchanged lines");
  let content: HTMLElement = h("span", {}, label);
  if (unfold) {
    const control = button(label, () => unfold(gap, control), { class: "fold", "aria-label": `Show ${label.toLowerCase()}` });
    content = control;
  }
  return h("tbody", {}, h("tr", { class: "fold" }, h("td", { colspan: columns }, content)));
}

/** Renders each line of one column, words marked where a line replaces another. */
function linesOf(hunk: Hunk, layout: Layout): HTMLElement[] {
  const renderer = new LineRenderer(layout.formatted);
  const rows: HTMLElement[] = [];
  let added: HTMLElement[] = [];
  for (const { before, after } of pairs(hunk.lines)) {
    if (before && after && before !== after) {
      const [old, now] = renderer.replaced(before, after);
      rows.push(inlineRow(before, old));
      added.push(inlineRow(after, now));
      continue;
    }
    const line = (before ?? after)!;
    if (line.kind === "added") {
      added.push(inlineRow(line, renderer.single(line)));
      continue;
    }
    if (line.kind === "same") {
      rows.push(...added);
      added = [];
    }
    rows.push(inlineRow(line, renderer.single(line)));
  }
  return [...rows, ...added];
}

function inlineRow(line: Line, content: HTMLElement): HTMLElement {
  return h("tr", { class: line.kind }, number(line.before), number(line.after), h("td", { class: line.kind }, said(line), content));
}

function columnsOf(hunk: Hunk, layout: Layout): HTMLElement[] {
  const left = new LineRenderer(layout.formatted), right = new LineRenderer(layout.formatted);
  return pairs(hunk.lines).map(({ before, after }) => {
    let old = before && left.single(before), now = after && right.single(after);
    if (before && after && before !== after) [old, now] = new LineRenderer(layout.formatted).replaced(before, after);
    return h("tr", {}, ...side(before, before?.before, old), ...side(after, after?.after, now));
  });
}

function side(line: Line | undefined, lineNumber: number | undefined, content: HTMLElement | undefined): HTMLElement[] {
  if (!line || !content) return [number(undefined), h("td", { class: "none" })];
  return [number(lineNumber), h("td", { class: line.kind }, said(line), content)];
}

function number(n: number | undefined): HTMLElement {
  return h("td", { class: "number" }, n === undefined ? "" : String(n));
}

/** What the color says, for those who do not see it. */
function said(line: Line): HTMLElement | undefined {
  if (line.kind === "same") return undefined;
  const [sign, word] = line.kind === "added" ? ["+", "Added: "] : ["−", "Removed: "];
  return h("span", { class: "sign" }, h("span", { "aria-hidden": "true" }, sign), h("span", { class: "hidden" }, word));
}
