// The view of what a call changes, has changed, or compares.
import "./difference.css";
import { Problem } from "../shared/answer";
import { type Hunk, parseDiff } from "../shared/diff";
import { add, button, count, direction, h, name, showControls, time } from "../shared/dom";
import { render } from "../shared/render";
import { App } from "../shared/view";
import { type Change, changeOf, isRevision } from "./changes";
import { type Gap, type Layout, table } from "./table";

const wide = matchMedia("(min-width: 44rem)");
const unfoldedAtOnce = 200; // lines

void App.start({
  show(app, answer, args) {
    const change = changeOf(answer, args);
    if (change) return new Difference(app, change).show();
    if (isRevision(answer)) return revision(app, answer);
    throw new Problem("The answer has no difference to show.");
  },
});

/** Shows the text of a revision, which a comparison can follow. */
function revision(app: App, s: { revision_id: string; title: string; text: string; created_at: string; authors: string[] }): void {
  const when = time(s.created_at, app.context.locale, app.context.timeZone);
  const compare = button("Compare with the current text", () =>
    app.run(async () => {
      const answer = await app.call("read_revision", { revision_id: s.revision_id, compare_with: "current" });
      const change = changeOf(answer as unknown as Record<string, unknown>, { compare_with: "current" });
      if (change) new Difference(app, change).show();
    }, compare),
  );
  app.main.replaceChildren(
    h("header", {}, h("h1", { dir: direction(s.title) }, name(s.title)), h("p", { class: "meta" }, "Revision of ", when, " by ", name(s.authors.join(", ")))),
    h("div", { class: "actions" }, app.canCall && compare),
    h("article", { dir: direction(s.text) }, ...render(s.text).blocks),
  );
}

class Difference {
  private hunks: Hunk[] = [];
  private ended = false; // whether the last hunk ends with the text
  private readonly layout: Layout = { sideBySide: false, formatted: true };
  private readonly body = h("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Changes" });
  private readonly actions = h("div", { class: "actions" });
  private readonly options = h("fieldset", { class: "options", hidden: true }, h("legend", { class: "hidden" }, "How changes are shown"),
    this.option("Side by side", "sideBySide"), this.option("Formatting", "formatted"));

  constructor(private readonly app: App, private readonly change: Change) {
    wide.addEventListener("change", () => this.draw());
  }

  show(): void {
    const { title, summary, notes, url } = this.change;
    this.app.main.replaceChildren();
    add(this.app.main,
      h("header", {}, h("h1", { dir: direction(title) }, name(title)), h("p", { class: "meta" }, summary)),
      notes.length > 0 && h("ul", { class: "notes" }, ...notes.map((note) => h("li", { dir: "auto" }, showControls(note)))),
      this.actions,
      this.options,
      this.body);
    this.showActions(url);
    void this.load();
  }

  private async load(): Promise<void> {
    try {
      if (this.change.diff === undefined) await this.fetchDiff();
    } catch (error) {
      this.app.fail(error);
    }
    this.hunks = parseDiff(this.change.diff ?? "");
    this.draw();
  }

  // update_document answers no diff; the revision before it shows what it changed.
  private async fetchDiff(): Promise<void> {
    const { undo } = this.change;
    if (!undo || !this.app.canCall) return;
    const answer = await this.app.call("read_revision", { revision_id: undo.revisionID, compare_with: "current" });
    if (!("diff" in answer)) return;
    this.change.diff = answer.diff;
    if (answer.next_start_line) this.change.more = { revisionID: undo.revisionID, compareWith: "current", startLine: answer.next_start_line };
    if (answer.compared_with.revision !== undo.revision) throw new Problem("The document has changed since; later changes are shown, too.");
  }

  private showActions(url: string | undefined): void {
    const { apply, undo, leftOut } = this.change;
    this.actions.replaceChildren();
    if (apply && this.app.canCall) {
      const write = button("Apply", () => this.app.run(() => this.apply(), write), { class: "primary" });
      add(this.actions, write, button("Discard", () => this.discard()));
    }
    if (undo && this.app.canCall) {
      const back = button("Undo", () => this.app.run(() => this.undo(), back));
      add(this.actions, back);
    }
    if (url && this.app.canOpen) add(this.actions, button("Open in Outline", () => this.app.open(url)));
    if (leftOut) add(this.actions, h("p", { class: "warning" }, `${count(leftOut, "line", "lines")} of the difference not shown.`));
  }

  private draw(): void {
    this.body.replaceChildren();
    this.options.hidden = this.hunks.length === 0;
    if (this.hunks.length === 0) return;
    const shown = { ...this.layout, sideBySide: this.layout.sideBySide && wide.matches };
    const unfold = this.change.readable && this.app.canCall ? (gap: Gap, control: HTMLButtonElement) => this.app.run(() => this.unfold(gap), control) : undefined;
    this.body.append(table(this.hunks, shown, `Changes in ${this.change.title}`, this.ended, unfold));
    const { more } = this.change;
    if (more && this.app.canCall) {
      const control = button("More of the difference", () => this.app.run(() => this.fetchMore(), control));
      this.body.append(control);
    }
  }

  private option(label: string, key: keyof Layout): HTMLElement {
    const box = h("input", { type: "checkbox", checked: this.layout[key], change: () => {
      this.layout[key] = box.checked;
      this.draw();
    } });
    return h("label", { class: key }, box, " ", label);
  }

  private async apply(): Promise<void> {
    const answer = await this.app.call("edit_document", this.change.apply!);
    this.replace(answer as unknown as Record<string, unknown>, "Applied.");
    this.app.note(`In the view, the user applied the edits of the dry run to document ${JSON.stringify(this.change.title)} (${this.change.documentID}).`);
  }

  private discard(): void {
    this.change.apply = undefined;
    this.showActions(this.change.url);
    this.app.say("Discarded. Nothing was written.");
    this.app.main.focus();
    this.app.note(`In the view, the user discarded the edits of the dry run of document ${JSON.stringify(this.change.title)} (${this.change.documentID}).`);
  }

  private async undo(): Promise<void> {
    const { undo, documentID, title } = this.change;
    const answer = await this.app.call("restore_document", {
      document_id: documentID,
      revision_id: undo!.revisionID,
      expected_revision: undo!.revision,
    });
    this.replace(answer as unknown as Record<string, unknown>, "Undone.");
    this.app.note(`In the view, the user undid the change of document ${JSON.stringify(title)} (${documentID}).`);
  }

  private replace(answer: Record<string, unknown>, said: string): void {
    const change = changeOf(answer, {});
    if (!change) throw new Problem("The answer has no difference to show.");
    change.url ??= this.change.url;
    new Difference(this.app, change).show();
    this.app.say(said);
    this.app.main.focus(); // the button that had the focus is gone
  }

  private async fetchMore(): Promise<void> {
    const more = this.change.more!;
    const answer = await this.app.call("read_revision", { revision_id: more.revisionID, compare_with: more.compareWith, start_line: more.startLine });
    if (!("diff" in answer)) throw new Problem("The rest of the difference could not be read.");
    this.change.diff += answer.diff;
    this.change.more = answer.next_start_line ? { ...more, startLine: answer.next_start_line } : undefined;
    this.hunks = parseDiff(this.change.diff!);
    this.draw();
  }

  private async unfold(gap: Gap): Promise<void> {
    const side = this.change.readable!.side;
    const limit = Math.min(gap.lines ?? unfoldedAtOnce, unfoldedAtOnce);
    const { lines, ended } = await this.read(gap[side], limit);
    this.ended ||= ended && gap.lines === undefined;
    if (lines.length === 0) return this.draw();
    // Lines go to the hunk above, so that what is left of the fold stays below them.
    let above = this.hunks[gap.index - 1];
    if (!above) {
      above = { before: gap.before, after: gap.after, lines: [] };
      this.hunks.unshift(above);
    }
    lines.forEach((text, i) => above.lines.push({ kind: "same", text, before: gap.before + i, after: gap.after + i }));
    this.draw();
    this.body.focus();
  }

  /** Reads lines of the readable side; fewer if the text ends or is not sent at once. */
  private async read(from: number, limit: number): Promise<{ lines: string[]; ended: boolean }> {
    const { revisionID, revision } = this.change.readable!;
    const range = { start_line: from, max_lines: limit };
    const answer = revisionID
      ? await this.app.call("read_revision", { revision_id: revisionID, ...range })
      : await this.app.call("read_document", { document_id: this.change.documentID, ...range });
    if (!("text" in answer)) throw new Problem("The unchanged lines could not be read.");
    if (revision !== undefined && "revision" in answer && answer.revision !== revision) {
      throw new Problem(`The document has changed since: it is at revision ${answer.revision} now, not ${revision}.`);
    }
    const lines = answer.text === "" ? [] : answer.text.split("\n").slice(0, limit);
    if (answer.next_start_char) lines.pop(); // it is not whole
    return { lines, ended: !answer.next_start_line };
  }
}
