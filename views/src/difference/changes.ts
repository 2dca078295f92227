// What the tools that change or compare documents answer, as one shape for the view.
import type {
  EditDocumentArguments,
  EditDocumentSuccess,
  ReadRevisionSuccess,
  RestoreDocumentSuccess,
  UpdateDocumentSuccess,
} from "../outline";
import { count } from "../shared/dom";

type Edited = Extract<EditDocumentSuccess, { diff: string }>;
type Compared = Extract<ReadRevisionSuccess, { diff: string }>;
type RestoredRevision = Extract<RestoreDocumentSuccess, { diff: string }>;

/** A difference to show. */
export interface Change {
  documentID: string;
  title: string;
  url?: string | undefined;
  /** What happened, in a sentence. */
  summary: string;
  /** Undefined if the answer has none. */
  diff?: string | undefined;
  /** Lines of the diff that the answer leaves out. */
  leftOut?: number | undefined;
  notes: string[];
  /** The call that would apply a dry run: exactly its edits, for exactly the revision shown. */
  apply?: EditDocumentArguments | undefined;
  /** The revision that takes the write back, and the revision that the write made. */
  undo?: { revisionID: string; revision: number } | undefined;
  /** Which text can be read to show unchanged lines: that of a revision or the current one. */
  readable?: { side: "before" | "after"; revisionID?: string; revision?: number } | undefined;
  /** The revision of a comparison that goes on, and the line of the diff where it does. */
  more?: { revisionID: string; compareWith: string; startLine: number } | undefined;
}

/** Returns the change that an answer tells of, or undefined if it tells of none. */
export function changeOf(answer: Record<string, unknown>, args: Record<string, unknown>): Change | undefined {
  if ("edits_applied" in answer) return edited(answer as unknown as Edited, args);
  if ("appended" in answer) return updated(answer as unknown as UpdateDocumentSuccess);
  if ("compared_with" in answer) return compared(answer as unknown as Compared, args);
  if (answer["status"] === "restored") return restored(answer as unknown as RestoreDocumentSuccess);
  return undefined;
}

/** Whether an answer is the text of a revision. */
export function isRevision(answer: Record<string, unknown>): answer is Record<string, unknown> & Exclude<ReadRevisionSuccess, Compared> {
  return "revision_id" in answer && "text" in answer;
}

function edited(s: Edited, args: Record<string, unknown>): Change {
  const edits = args["edits"];
  const change = written(s);
  // The arguments do not tell reliably: the server also takes "true" for dry_run.
  const proposed = !s.changed && !s.verified && (s.diff !== "" || s.diff_lines_left_out !== undefined);
  if (!proposed) {
    change.summary = s.changed ? `${count(s.edits_applied, "edit", "edits")} applied, now revision ${s.revision}.` : unchanged;
    return change;
  }
  change.summary = `Proposed changes to revision ${s.revision_before}. Nothing has been written yet.`;
  change.undo = undefined;
  change.readable = { side: "before", revision: s.revision_before };
  if (edits !== undefined && s.diff !== "") {
    change.apply = {
      document_id: s.document_id,
      edits: edits as EditDocumentArguments["edits"],
      expected_revision: s.revision_before,
      ...(args["allow_loss"] !== undefined && { allow_loss: args["allow_loss"] as boolean }),
    };
  }
  return change;
}

const unchanged = "Nothing changed: the document already had this content.";

function written(s: Edited | UpdateDocumentSuccess | RestoredRevision): Change {
  const notes = [...("notes" in s ? (s.notes ?? []) : []), ...("note" in s && s.note ? [s.note] : [])];
  if ("lost" in s && s.lost) notes.push(...lostNotes(s.lost));
  return {
    documentID: s.document_id,
    title: s.title,
    url: "url" in s ? s.url : undefined,
    summary: "",
    diff: "diff" in s ? s.diff : undefined,
    leftOut: "diff_lines_left_out" in s ? s.diff_lines_left_out : undefined,
    notes,
    undo: s.changed && s.earlier_revision_id ? { revisionID: s.earlier_revision_id, revision: s.revision } : undefined,
    readable: { side: "after", revision: s.revision },
  };
}

function lostNotes(lost: NonNullable<Edited["lost"]>): string[] {
  const parts = [
    lost.comment_anchors.length > 0 && count(lost.comment_anchors.length, "comment loses its place", "comments lose their place"),
    lost.highlight_colors > 0 && count(lost.highlight_colors, "highlight loses its color", "highlights lose their color"),
    lost.column_widths > 0 && count(lost.column_widths, "column loses its width", "columns lose their width"),
  ];
  return parts.filter((part) => part !== false).map((part) => part + ".");
}

function updated(s: UpdateDocumentSuccess): Change {
  const change = written(s);
  const done = s.appended ? "Text appended" : "Updated";
  change.summary = s.changed ? `${done}, now revision ${s.revision}.` : unchanged;
  return change;
}

function compared(s: Compared, args: Record<string, unknown>): Change {
  const other = s.compared_with;
  const older = Date.parse(s.created_at) <= Date.parse(other.created_at);
  const compareWith = other.revision_id ?? String(args["compare_with"] ?? "current");
  const titles = other.title === s.title ? [] : [`The title differs, too: ${JSON.stringify(older ? s.title : other.title)} became ${JSON.stringify(older ? other.title : s.title)}.`];
  return {
    documentID: s.document_id,
    title: s.title,
    summary: s.diff === "" ? "The texts are the same." : `${count(s.added_lines, "line", "lines")} added, ${count(s.removed_lines, "line", "lines")} removed.`,
    diff: s.diff,
    notes: titles,
    readable: { side: older ? "before" : "after", revisionID: s.revision_id },
    more: s.next_start_line ? { revisionID: s.revision_id, compareWith, startLine: s.next_start_line } : undefined,
  };
}

function restored(s: RestoreDocumentSuccess): Change {
  if ("revision_id" in s) {
    const change = written(s);
    change.summary = s.changed ? `Set back to an earlier revision, now revision ${s.revision}.` : unchanged;
    if (s.title_before !== undefined) change.notes.unshift(`The title was ${JSON.stringify(s.title_before)}.`);
    return change;
  }
  const failed = (s.children ?? []).filter((child) => child.status === "failed");
  const back = (s.children ?? []).length - failed.length;
  return {
    documentID: s.document_id,
    title: s.title,
    summary: back > 0 ? `Restored, with ${count(back, "document", "documents")} below it.` : "Restored.",
    notes: [
      ...failed.map((child) => `Not restored: ${JSON.stringify(child.title)}${child.error ? ` (${child.error})` : ""}`),
      ...(s.children_in_trash ? [`${count(s.children_in_trash, "document", "documents")} directly below it still in the trash.`] : []),
    ],
  };
}
