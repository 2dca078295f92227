// A tree of documents to fold, after the ARIA pattern for trees: arrows move and fold, Home and
// End go to the ends, Enter reads, Space chooses.
import type { TreeNode } from "../../../docs/types/outline";
import { count, direction, h, name } from "../shared/dom";
import type { Chosen } from "./chosen";

const unfolded = 2; // levels

/** Makes a tree. */
export function tree(nodes: TreeNode[], label: string, read: (node: TreeNode) => void, chosen: Chosen): HTMLElement {
  const item = (node: TreeNode, level: number): HTMLElement => {
    const children = node.children ?? [];
    const twist = h("span", { class: "twist", "aria-hidden": "true" });
    const title = h("span", { class: "title" }, name(node.title || "Untitled"));
    const hidden = children.length === 0 && node.child_count ? h("span", { class: "meta" }, ` ${count(node.child_count, "document", "documents")} below`) : undefined;
    const row = h("div", { class: "row" }, twist, h("span", { class: "check", "aria-hidden": "true" }), title, hidden);
    const made = h("li", {
      role: "treeitem", tabindex: -1, dir: direction(node.title), "aria-level": level, "aria-selected": "false",
      "aria-expanded": children.length > 0 ? String(level <= unfolded) : undefined,
    }, row, children.length > 0 && h("ul", { role: "group" }, ...children.map((child) => item(child, level + 1))));
    made.setAttribute("aria-label", node.title || "Untitled");
    actions.set(made, { read: () => read(node), choose: () => made.setAttribute("aria-selected", String(chosen.toggle({ id: node.id, title: node.title }))) });
    return made;
  };
  const actions = new WeakMap<Element, { read(): void; choose(): void }>();
  const root = h("ul", { role: "tree", "aria-label": label, "aria-multiselectable": "true" }, ...nodes.map((node) => item(node, 1)));
  const items = () => [...root.querySelectorAll<HTMLElement>('[role="treeitem"]')].filter((made) => !made.parentElement?.closest('[aria-expanded="false"]'));
  const focus = (made: HTMLElement | null | undefined) => {
    if (!made) return;
    root.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    made.tabIndex = 0;
    made.focus();
  };
  const first = root.querySelector<HTMLElement>('[role="treeitem"]');
  if (first) first.tabIndex = 0;

  root.addEventListener("click", (event) => {
    const target = event.target as Element;
    const made = target.closest<HTMLElement>('[role="treeitem"]');
    if (!made) return;
    focus(made);
    if (target.closest(".twist")) fold(made);
    else if (target.closest(".check")) actions.get(made)?.choose();
    else actions.get(made)?.read();
  });
  root.addEventListener("keydown", (event) => {
    const made = (event.target as Element).closest<HTMLElement>('[role="treeitem"]');
    if (!made || event.altKey || event.ctrlKey || event.metaKey) return;
    const shown = items(), at = shown.indexOf(made), expanded = made.getAttribute("aria-expanded");
    const rtl = getComputedStyle(made).direction === "rtl";
    const keys: Record<string, () => void> = {
      ArrowDown: () => focus(shown[at + 1]),
      ArrowUp: () => focus(shown[at - 1]),
      Home: () => focus(shown[0]),
      End: () => focus(shown.at(-1)),
      [rtl ? "ArrowLeft" : "ArrowRight"]: () => (expanded === "false" ? fold(made) : expanded && focus(shown[at + 1])),
      [rtl ? "ArrowRight" : "ArrowLeft"]: () => (expanded === "true" ? fold(made) : focus(made.parentElement?.closest<HTMLElement>('[role="treeitem"]'))),
      Enter: () => actions.get(made)?.read(),
      " ": () => actions.get(made)?.choose(),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]!();
  });
  return root;
}

function fold(made: HTMLElement): void {
  const expanded = made.getAttribute("aria-expanded");
  if (expanded !== null) made.setAttribute("aria-expanded", String(expanded === "false"));
}
