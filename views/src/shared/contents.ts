// The contents list of a document.
import { direction, h } from "./dom";
import type { Heading } from "./render";

const wide = matchMedia("(min-width: 50rem)"); // where reader.css puts the list beside the text
const many = 5; // links that nobody minds passing with the Tab key

/** The headings of a document, as links. It is empty with fewer than two. */
export class Contents {
  readonly nav = h("nav", { class: "contents", "aria-label": "Contents" });
  private readonly list = h("ul");
  private readonly skip: HTMLElement;
  private top = 6; // the least level

  /** The list comes before the element with the ID text, to which a link skips. */
  constructor(text: string) {
    this.skip = h("a", { class: "skip", href: `#${text}`, hidden: true }, "Skip contents");
  }

  /** Appends headings. */
  add(headings: Heading[]): void {
    for (const { id, text, level } of headings) {
      const item = h("li", { dir: direction(text) }, h("a", { href: `#${id}` }, text || "Untitled"));
      item.style.setProperty("--level", String(level));
      this.list.append(item);
      this.top = Math.min(this.top, level);
    }
    this.list.style.setProperty("--top", String(this.top));
    const n = this.list.childElementCount;
    if (n < 2) return;
    this.skip.hidden = n <= many;
    if (this.nav.childElementCount === 0) this.nav.append(this.skip, h("details", { open: wide.matches }, h("summary", {}, "Contents"), this.list));
  }
}
