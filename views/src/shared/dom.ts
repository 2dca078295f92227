// DOM nodes without HTML: text becomes text nodes, so nothing in it is ever parsed as HTML.

/** What an element can contain. Text is escaped by being text. */
export type Child = Node | string | false | null | undefined;

type Props = Record<string, string | number | boolean | undefined | ((event: never) => void)>;

/**
 * Makes an element. A prop that is a function listens to the event it names ("click"); false and
 * undefined leave an attribute out. Names of props come from this program only, never from a
 * document.
 */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, ...children);
  return element;
}

/** Appends children, leaving out those that are nothing. */
export function add(parent: Element | DocumentFragment, ...children: Child[]): void {
  for (const child of children) if (child !== false && child != null) parent.append(child);
}

/** Makes a button. */
export function button(label: string, click: () => void, props: Props = {}): HTMLButtonElement {
  return h("button", { type: "button", click, ...props }, label);
}

/** Makes a name that someone else chose, such as a title: it keeps its own direction. */
export function name(text: string): HTMLElement {
  return h("bdi", {}, showControls(text));
}

// Joiners (U+200C, U+200D) are missing: scripts and emoji need them.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Replaces characters that are not seen or change how others look, such as bidi overrides, by their code points. */
export function showControls(text: string): string {
  return text.replace(controls, (c) => `\u2039U+${c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}\u203a`);
}

const rtl = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|\ud802[\udc00-\udfff]|\ud83a[\udd00-\udfff]/;

/** The direction of a text: that of its first letter. */
export function direction(text: string): "ltr" | "rtl" {
  const letter = /\p{L}/u.exec(text);
  return letter && rtl.test(letter[0]) ? "rtl" : "ltr";
}

/** Makes a time of an RFC 3339 text, in the reader's language. Text that is no time stays as it is. */
export function time(text: string | undefined, locale?: string, timeZone?: string): HTMLElement {
  const at = new Date(text ?? "");
  if (isNaN(at.getTime())) return name(text ?? "");
  const style = { dateStyle: "medium", timeStyle: "short" } as const;
  const format = () => {
    try {
      return at.toLocaleString(locale, timeZone ? { ...style, timeZone } : style);
    } catch {
      return at.toLocaleString(undefined, style); // a locale or time zone of the host that the browser does not know
    }
  };
  return h("bdi", {}, format());
}

/** Writes a number with its noun. */
export function count(n: number, one: string, many: string): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** Waits until what was added is painted, or a moment in a page that is not visible. */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 1000);
  });
}
