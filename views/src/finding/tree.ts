// A tree of documents to fold, after the ARIA pattern for trees: arrows move and fold, Home and
// End go to the ends, Enter reads, Space chooses.
import type { TreeNode } from "../outline";
import { count, direction, h, name } from "../shared/dom";
import type { Chosen } from "./chosen";

const unfolded = 2; // levels

/** Makes a tree. Without chosen, its documents can only be read. */
export function tree(nodes: TreeNode[], label: string, read: (node: TreeNode) => void, chosen?: Chosen): HTMLElement {
  const actions = new WeakMap<Element, { read(): void; choose(): void }>();
  // The row is the item: were it the list item, its name would have all that is below it.
  const item = (node: TreeNode, level: number): HTMLElement => {
    const children = node.children ?? [];
    const below = children.length === 0 && node.child_count ? h("span", { class: "meta" }, ` ${count(node.child_count, "document", "documents")} below`) : undefined;
    const row = h("div", {
      class: "row", role: "treeitem", tabindex: -1, "aria-level": level, "aria-selected": chosen && "false",
      "aria-expanded": children.length > 0 ? String(level <= unfolded) : undefined,
    }, h("span", { class: "twist", "aria-hidden": "true" }), chosen && h("span", { class: "check", "aria-hidden": "true" }), h("span", {}, name(node.title || "Untitled")), below);
    actions.set(row, { read: () => read(node), choose: () => chosen && row.setAttribute("aria-selected", String(chosen.toggle(node))) });
    return h("li", { role: "none", dir: direction(node.title) }, row, children.length > 0 && h("ul", { role: "group" }, ...children.map((child) => item(child, level + 1))));
  };
  const root = h("ul", { role: "tree", "aria-label": label, "aria-multiselectable": chosen && "true" }, ...nodes.map((node) => item(node, 1)));
  const items = () => [...root.querySelectorAll<HTMLElement>(".row")].filter((row) => row.checkVisibility());
  const focus = (row: Element | null | undefined) => {
    if (!row) return;
    root.querySelector('[tabindex="0"]')?.setAttribute("tabindex", "-1");
    (row as HTMLElement).tabIndex = 0;
    (row as HTMLElement).focus();
  };
  root.querySelector(".row")?.setAttribute("tabindex", "0");

  root.addEventListener("click", (event) => {
    const target = event.target as Element;
    const row = target.closest<HTMLElement>(".row");
    if (!row) return;
    focus(row);
    if (target.closest(".twist")) fold(row);
    else if (target.closest(".check")) actions.get(row)?.choose();
    else actions.get(row)?.read();
  });
  root.addEventListener("keydown", (event) => {
    const row = (event.target as Element).closest<HTMLElement>(".row");
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const shown = items(), at = shown.indexOf(row), expanded = row.getAttribute("aria-expanded");
    const rtl = getComputedStyle(row).direction === "rtl";
    const keys: Record<string, () => void> = {
      ArrowDown: () => focus(shown[at + 1]),
      ArrowUp: () => focus(shown[at - 1]),
      Home: () => focus(shown[0]),
      End: () => focus(shown.at(-1)),
      [rtl ? "ArrowLeft" : "ArrowRight"]: () => (expanded === "false" ? fold(row) : expanded && focus(shown[at + 1])),
      [rtl ? "ArrowRight" : "ArrowLeft"]: () => (expanded === "true" ? fold(row) : focus(row.closest("[role=group]")?.previousElementSibling)),
      Enter: () => actions.get(row)?.read(),
      " ": () => actions.get(row)?.choose(),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]!();
  });
  return root;
}

function fold(row: HTMLElement): void {
  const expanded = row.getAttribute("aria-expanded");
  if (expanded !== null) row.setAttribute("aria-expanded", String(expanded === "false"));
}
