import { add, button, count, h } from "../shared/dom";
import type { App } from "../shared/view";

/** A document that can be chosen. */
export interface Choice {
  id: string;
  title: string;
}

/** The documents chosen for the conversation, and the bar that hands them over. */
export class Chosen {
  readonly bar = h("div", { class: "chosen", role: "group", "aria-label": "Chosen documents" });
  private readonly choices = new Map<string, Choice>();

  constructor(private readonly app: App) {}

  /** Chooses a document, or takes it back. Returns whether it is chosen now. */
  toggle(choice: Choice): boolean {
    if (!this.choices.delete(choice.id)) this.choices.set(choice.id, choice);
    this.draw();
    return this.has(choice.id);
  }

  /** Whether a document is chosen. */
  has(id: string): boolean {
    return this.choices.has(id);
  }

  private draw(): void {
    const n = this.choices.size;
    this.bar.replaceChildren();
    if (n === 0) return;
    const hand = button("Use in the conversation", () => this.app.run(() => this.handOver(), hand), { class: "primary" });
    add(this.bar, h("span", { role: "status" }, `${count(n, "document", "documents")} chosen`), this.app.canTell && hand);
  }

  private async handOver(): Promise<void> {
    // Titles are somebody's text: quoted, they cannot pass for anything else.
    const lines = [...this.choices.values()].map(({ id, title }) => `- ${JSON.stringify(title)}, document_id ${id}`);
    await this.app.tell(`The user chose these Outline documents:\n${lines.join("\n")}`);
    this.app.say(`${count(lines.length, "document", "documents")} handed to the conversation.`);
  }
}
