import { add, button, count, h } from "../shared/dom";
import type { App } from "../shared/view";

/** A document that can be chosen. */
export interface Choice {
  id: string;
  title: string;
}

/**
 * The documents chosen for the conversation. They are handed over at once as context of the next
 * message. Where the host only takes messages, a button sends one.
 */
export class Chosen {
  readonly bar = h("div", { class: "chosen", role: "group", "aria-label": "Chosen documents" });
  private readonly choices = new Map<string, Choice>();

  constructor(private readonly app: App) {}

  /** Chooses a document, or takes it back. Returns whether it is chosen now. */
  toggle(choice: Choice): boolean {
    const taken = this.choices.delete(choice.id);
    if (!taken) this.choices.set(choice.id, choice);
    this.draw();
    if (this.app.tells === "context") this.app.run(() => this.handOver());
    return !taken;
  }

  private draw(): void {
    const n = this.choices.size;
    this.bar.replaceChildren();
    if (n === 0 || this.app.tells !== "message") return;
    const send = button("Use in the conversation", () => this.app.run(() => this.handOver(), send), { class: "primary" });
    add(this.bar, `${count(n, "document", "documents")} chosen`, send);
  }

  private async handOver(): Promise<void> {
    // Titles are somebody's text: quoted, they cannot pass for anything else.
    const lines = [...this.choices.values()].map(({ id, title }) => `- ${JSON.stringify(title)}, document_id ${id}`);
    await this.app.tell(lines.length > 0 ? `The user chose these Outline documents:\n${lines.join("\n")}` : "");
    this.app.say(`${count(lines.length, "document", "documents")} handed to the conversation.`);
  }
}
