// The view of documents found: a list with passages, or a tree.
import "./finding.css";
import { Problem } from "../shared/answer";
import { add, count, direction, h, name, showControls, time } from "../shared/dom";
import { read, readingOf } from "../shared/reader";
import { App } from "../shared/view";
import { Chosen } from "./chosen";
import { type Finding, type Found, findingOf } from "./found";
import { tree } from "./tree";

void App.start({
  show(app, answer, args) {
    const finding = findingOf(answer, args);
    if (!finding) throw new Problem("The answer has no documents to show.");
    new List(app, finding).show();
  },
});

class List {
  private readonly chosen: Chosen;
  private readonly page: HTMLElement;

  constructor(private readonly app: App, private readonly finding: Finding) {
    this.chosen = new Chosen(app);
    const { heading, summary, note, tree: nodes } = finding;
    this.page = h("div", { class: "finding" }, h("header", {}, h("h1", { dir: direction(heading) }, name(heading)), h("p", { class: "meta" }, summary)));
    if (note) add(this.page, h("p", { class: "warning" }, showControls(note)));
    if (nodes) add(this.page, tree(nodes, heading, (node) => this.read(node.id), this.app.tells && this.chosen));
    else this.addList(finding.list ?? []);
    app.footer.prepend(this.chosen.bar);
  }

  show(): void {
    this.app.main.replaceChildren(this.page);
  }

  private addList(list: Found[]): void {
    const items = new Map(list.map((found) => [found, this.item(found)]));
    const collections = [...new Set(list.map((found) => found.collection).filter((name) => name !== undefined))].sort();
    if (collections.length > 1) {
      const filter = h("select", { change: () => {
        items.forEach((item, found) => (item.hidden = filter.value !== "" && found.collection !== filter.value));
        const shown = list.filter((found) => !items.get(found)!.hidden).length;
        this.app.say(shown < list.length ? `${shown} of ${count(list.length, "document", "documents")} shown.` : "");
      } },
        h("option", { value: "" }, "All collections"),
        ...collections.map((collection) => h("option", { value: collection }, showControls(collection))));
      add(this.page, h("p", { class: "filter" }, h("label", {}, "Collection ", filter)));
    }
    add(this.page, items.size > 0 ? h("ul", { class: "results" }, ...items.values()) : h("p", {}, "Nothing found."));
  }

  private item(found: Found): HTMLElement {
    const title = found.title || "Untitled";
    const box = this.app.tells && h("input", { type: "checkbox", "aria-label": `Choose ${title}`, change: () => void this.chosen.toggle(found) });
    const open = h("button", { type: "button", class: "title", click: () => this.read(found.id, open) }, name(title));
    const { updated, by, status } = found.facts;
    const facts = h("p", { class: "meta" });
    if (found.collection) add(facts, name(found.collection), " ");
    if (updated) add(facts, "· ", time(updated, this.app.context.locale, this.app.context.timeZone), " ");
    if (by) add(facts, "· ", name(by), " ");
    if (status && status !== "published") add(facts, h("span", { class: "badge" }, status));
    return h("li", {}, box, h("div", {},
      this.app.canCall ? open : h("span", { class: "title" }, name(title)),
      facts,
      ...found.passages.map(({ text, heading, line }) => h("p", { class: "passage", dir: direction(text) },
        line !== undefined && h("span", { class: "meta" }, heading && h("bdi", {}, heading), `${heading ? " · l" : "L"}ine ${line}: `),
        ...marked(showControls(text), this.finding.marked)))));
  }

  private read(id: string, control?: HTMLButtonElement): void {
    if (!this.app.canCall) return;
    this.app.run(async () => {
      const document = readingOf(await this.app.call("read_document", { document_id: id }));
      const focused = window.document.activeElement as HTMLElement | null;
      read(this.app, document, () => {
        this.show();
        focused?.focus();
      });
      this.app.main.focus();
      scrollTo(0, 0);
    }, control);
  }
}

/** Returns a text with what matches in marks. */
function marked(text: string, pattern: RegExp | undefined): (Node | string)[] {
  if (!pattern) return [text];
  const out: (Node | string)[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match[0] === "") continue;
    out.push(text.slice(at, match.index), h("mark", {}, match[0]));
    at = match.index + match[0].length;
  }
  return [...out, text.slice(at)];
}
