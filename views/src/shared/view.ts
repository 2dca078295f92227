// What all views have in common: the connection, the look of the host, the place for
// messages, and the size.
import "./base.css";
import { type Answer, Problem, problemOf, structuredOf } from "./answer";
import { add, button, h } from "./dom";
import { Host, type HostContext } from "./host";
import { links, safeURL } from "./links";
import type { Tools } from "../outline";

/** What a view is: what it shows for the call it belongs to. */
export interface View {
  /** Shows the result. The structured content is that of any tool that has this view. */
  show(app: App, structured: Record<string, unknown>, args: Record<string, unknown>): void;
}

const inlineHeight = 720; // CSS pixels at most within a conversation; the rest scrolls

/** A running view. */
export class App {
  /** What the host last said about itself. */
  context: HostContext = {};
  readonly main = h("div", { class: "content", tabindex: -1 });
  private readonly status = h("p", { class: "status", role: "status" });
  /** What stays in sight below the content: messages, and what a view puts before them. */
  readonly footer = h("div", { class: "footer" }, this.status);
  private readonly bar = h("div", { class: "hostbar" });
  private args: Record<string, unknown> = {};
  private host!: Host;

  private constructor(private readonly view: View) {}

  /** Connects to the host and shows what it sends. */
  static async start(view: View): Promise<void> {
    const app = new App(view);
    document.body.append(h("main", {}, app.bar, app.main, app.footer));
    app.main.append(heading());
    app.say("Loading…");
    links((url) => app.open(url));
    new ResizeObserver(() => app.resize()).observe(document.body);
    try {
      app.host = await Host.connect({
        input: (args) => (app.args = args),
        result: (answer) => app.received(answer),
        cancelled: () => app.say("The call was cancelled."),
        context: (context) => app.look(context),
      });
      app.resize();
    } catch (error) {
      app.fail(error);
    }
  }

  /** Says something below the content; screen readers read it out. */
  say(text: string): void {
    this.status.textContent = text;
    this.status.classList.remove("failed");
  }

  /** Says that something did not work. */
  fail(error: unknown): void {
    this.say(error instanceof Error && error.message ? error.message : "That did not work.");
    this.status.classList.add("failed");
  }

  /** Runs what a click starts; if it fails, says so. The button is disabled meanwhile. */
  run(work: () => Promise<void>, control?: HTMLButtonElement | HTMLInputElement): void {
    if (control?.getAttribute("aria-disabled") === "true") return;
    // Disabling would drop the focus.
    control?.setAttribute("aria-disabled", "true");
    work()
      .catch((error: unknown) => this.fail(error))
      .finally(() => control?.removeAttribute("aria-disabled"));
  }

  /** Calls a tool and returns its structured content. Fails with a Problem. */
  async call<Name extends keyof Tools>(tool: Name, args: Tools[Name]["arguments"]): Promise<Tools[Name]["success"]> {
    return structuredOf(await this.host.callTool(tool, args)) as unknown as Tools[Name]["success"];
  }

  /** Calls a tool for the content that is not structured, such as an image. */
  async content<Name extends keyof Tools>(tool: Name, args: Tools[Name]["arguments"]): Promise<Answer> {
    const answer = await this.host.callTool(tool, args);
    if (answer.isError) throw problemOf(answer);
    return answer;
  }

  /** Whether the view can call tools. */
  get canCall(): boolean {
    return this.host?.capabilities.serverTools !== undefined;
  }

  /** Whether the host opens links. */
  get canOpen(): boolean {
    return this.host?.capabilities.openLinks !== undefined;
  }

  /** Opens a URL of the web or a mail address through the host. */
  open(url: string): void {
    this.run(async () => {
      try {
        if (!safeURL(url)) throw new Error();
        await this.host.openLink(url);
      } catch {
        throw new Problem(`The link could not be opened: ${url}`);
      }
    });
  }

  /** How the host takes something for the conversation: as context of the next message, or as a message. */
  get tells(): "context" | "message" | undefined {
    const { updateModelContext, message } = this.host?.capabilities ?? {};
    return updateModelContext ? "context" : message ? "message" : undefined;
  }

  /** Hands what the user chose to the conversation; "" takes back what was handed as context. */
  async tell(text: string): Promise<void> {
    if (this.tells === "context") return this.host.setModelContext(text);
    if (this.tells === "message") return this.host.sendMessage(text);
    throw new Problem("This app takes nothing from a view.");
  }

  /** Lets the model know what the user did in the view, where the host has a way to do so. */
  note(text: string): void {
    if (this.tells === "context") this.host.setModelContext(text).catch(() => undefined);
  }

  private received(answer: Answer): void {
    this.say("");
    this.main.replaceChildren();
    this.footer.replaceChildren(this.status);
    try {
      this.view.show(this, structuredOf(answer), this.args);
    } catch (error) {
      this.main.replaceChildren(heading());
      this.fail(error);
    }
  }

  private look(context: HostContext): void {
    this.context = { ...this.context, ...context };
    const root = document.documentElement;
    if (this.context.theme) root.style.colorScheme = this.context.theme;
    for (const [key, value] of Object.entries(context.styles?.variables ?? {})) {
      if (key.startsWith("--") && value) root.style.setProperty(key, value);
    }
    const fonts = context.styles?.css?.fonts;
    if (fonts && !document.getElementById("fonts")) document.head.append(h("style", { id: "fonts" }, fonts));
    const inset = context.safeAreaInsets;
    if (inset) document.body.style.padding = `${inset.top}px ${inset.right}px ${inset.bottom}px ${inset.left}px`;
    this.bar.replaceChildren();
    if (this.context.displayMode !== "fullscreen" && this.context.availableDisplayModes?.includes("fullscreen")) {
      add(this.bar, button("Full screen", () => this.run(() => this.host.requestDisplayMode("fullscreen"))));
    }
  }

  private resize(): void {
    if (!this.host) return;
    const { width, height } = document.body.getBoundingClientRect();
    this.host.resized(Math.ceil(width), Math.min(Math.ceil(height), inlineHeight));
  }
}

/** The heading of a view that shows nothing, for screen readers. */
function heading(): HTMLElement {
  return h("h1", { class: "hidden" }, document.title);
}
