// The view's side of MCP Apps (SEP-1865, version 2026-01-26): JSON-RPC 2.0 with the host by
// postMessage. The official client, @modelcontextprotocol/ext-apps 2.0.4, has 649 KB minified,
// most of it the MCP SDK and Zod; a whole view may have 120 KB.
import type { Tools } from "../outline";
import type { Answer } from "./answer";

/** What the host says about how and where it shows the view. */
export interface HostContext {
  theme?: "light" | "dark";
  styles?: { variables?: Record<string, string | undefined>; css?: { fonts?: string } };
  displayMode?: string;
  availableDisplayModes?: string[];
  locale?: string;
  timeZone?: string;
  safeAreaInsets?: { top: number; right: number; bottom: number; left: number };
}

/** What the host can do for a view. A key that is absent means that it cannot. */
export interface HostCapabilities {
  openLinks?: object;
  serverTools?: object;
  updateModelContext?: object;
  message?: object;
}

/** What a view does when the host sends something. */
export interface Handlers {
  /** The arguments of the call that the view shows. */
  input(args: Record<string, unknown>): void;
  /** The result of that call. */
  result(result: Answer): void;
  /** The call was cancelled. */
  cancelled(reason: string): void;
  /** The context has changed. Keys that have not changed are absent. */
  context(context: HostContext): void;
}

const protocolVersion = "2026-01-26";
const callTimeout = 120_000; // milliseconds

interface Message {
  jsonrpc?: string;
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code?: number; message?: string };
}

interface Pending {
  resolve(result: unknown): void;
  reject(reason: Error): void;
}

/** The connection to the host that shows this view. */
export class Host {
  capabilities: HostCapabilities = {};
  private pending = new Map<number, Pending>();
  private lastID = 0;

  private constructor(private readonly handlers: Handlers) {}

  /** Connects to the parent window. Fails if it is not a host of MCP Apps. */
  static async connect(handlers: Handlers): Promise<Host> {
    const host = new Host(handlers);
    addEventListener("message", (event) => {
      if (event.source === window.parent) host.receive(event.data as Message);
    });
    const welcome = (await host.request("ui/initialize", {
      protocolVersion,
      appInfo: { name: "outline-mcp", version: "1" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    })) as { hostCapabilities?: HostCapabilities; hostContext?: HostContext };
    host.capabilities = welcome.hostCapabilities ?? {};
    handlers.context(welcome.hostContext ?? {});
    host.notify("ui/notifications/initialized", {});
    return host;
  }

  /** Calls a tool of the server that the view comes from. */
  async callTool<Name extends keyof Tools>(name: Name, args: Tools[Name]["arguments"]): Promise<Answer> {
    if (!this.capabilities.serverTools) throw new Error("This app does not let views call tools.");
    return (await this.request("tools/call", { name, arguments: args })) as Answer;
  }

  /** Asks the host to open a URL outside the view. The host may ask the user. */
  async openLink(url: string): Promise<void> {
    const answer = (await this.request("ui/open-link", { url })) as { isError?: boolean };
    if (answer?.isError) throw new Error("The app did not open the link.");
  }

  /** Gives the conversation text as context of the next message, in place of what this view gave it before; "" takes that back. */
  async setModelContext(text: string): Promise<void> {
    await this.request("ui/update-model-context", { content: text === "" ? [] : [{ type: "text", text }] });
  }

  /** Sends a message in the name of the user. The host may ask the user. */
  async sendMessage(text: string): Promise<void> {
    const answer = (await this.request("ui/message", { role: "user", content: [{ type: "text", text }] })) as { isError?: boolean };
    if (answer?.isError) throw new Error("The app did not take the message.");
  }

  /** Asks for another display mode, such as fullscreen. If the host agrees, it sends a new context. */
  async requestDisplayMode(mode: string): Promise<void> {
    await this.request("ui/request-display-mode", { mode });
  }

  /** Tells the host the size in CSS pixels that the view needs. */
  resized(width: number, height: number): void {
    this.notify("ui/notifications/size-changed", { width, height });
  }

  private request(method: string, params: object): Promise<unknown> {
    const id = ++this.lastID;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id);
        reject(new Error("The app did not answer in time."));
      }, callTimeout);
      const end = <T>(then: (value: T) => void) => (value: T) => {
        clearTimeout(timer);
        then(value);
      };
      this.pending.set(id, { resolve: end(resolve), reject: end(reject) });
      this.send({ id, method, params: params as Record<string, unknown> });
    });
  }

  private notify(method: string, params: object): void {
    this.send({ method, params: params as Record<string, unknown> });
  }

  // The origin of the host is unknown: a sandboxed frame between host and view may have none.
  private send(message: Message): void {
    window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  private receive(message: Message): void {
    if (message?.jsonrpc !== "2.0") return;
    if (message.method !== undefined) {
      this.handle(message.method, message.params ?? {}, message.id);
      return;
    }
    const pending = this.pending.get(message.id as number);
    if (!pending) return;
    this.pending.delete(message.id as number);
    if (message.error) pending.reject(new Error(message.error.message || "The app reported an error."));
    else pending.resolve(message.result);
  }

  private handle(method: string, params: Record<string, unknown>, id: Message["id"]): void {
    switch (method) {
      case "ui/notifications/tool-input":
        return this.handlers.input((params["arguments"] as Record<string, unknown>) ?? {});
      case "ui/notifications/tool-result":
        return this.handlers.result(params as Answer);
      case "ui/notifications/tool-cancelled":
        return this.handlers.cancelled(String(params["reason"] ?? ""));
      case "ui/notifications/host-context-changed":
        return this.handlers.context(params as HostContext);
      case "ui/resource-teardown":
      case "ping":
        return this.send({ id: id!, result: {} });
    }
    if (id !== undefined) this.send({ id, error: { code: -32601, message: `unknown method ${method}` } });
  }
}
