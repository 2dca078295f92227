/** Returns the address of a link that may be opened: http, https or mailto. */
export function safeURL(href: string, base?: string): string | undefined {
  try {
    const url = new URL(href, base);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}

/** Makes every link of the page open through the host. Links into the page stay. */
export function links(open: (url: string) => void): void {
  const follow = (event: MouseEvent) => {
    const link = (event.target as Element | null)?.closest?.("a");
    const href = link?.getAttribute("href");
    if (href == null) return;
    event.preventDefault();
    if (href.startsWith("#")) return reveal(document.getElementById(href.slice(1)));
    const url = safeURL(href);
    if (url) open(url);
  };
  document.addEventListener("click", follow);
  document.addEventListener("auxclick", follow);
}

/** Scrolls to an element and moves the focus there. */
export function reveal(element: HTMLElement | null): void {
  if (!element) return;
  for (let fold = element.closest("details"); fold; fold = fold.parentElement?.closest("details") ?? null) fold.open = true;
  element.scrollIntoView({ block: "start" });
  if (!element.hasAttribute("tabindex")) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
