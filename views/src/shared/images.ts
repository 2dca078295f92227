// Images of a document. A view has no network, so they come through read_attachment.
import { h } from "./dom";
import type { App } from "./view";

const attachment = /\/api\/attachments\.redirect\?id=([\da-f-]{36})/i;
const types = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;
const maxBytes = 300_000; // of an image; read_attachment scales it down

/** Returns what shows an image once it comes into view. Images that are not attachments are only named. */
export function images(app: App, documentID: string): (src: string, description: string) => HTMLElement {
  const load = new WeakMap<Element, () => void>();
  const observer = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      observer.unobserve(target);
      load.get(target)?.();
    }
  }, { rootMargin: "300px" });
  return (src, description) => {
    const label = description ? `Image: ${description}` : "Image";
    const place = h("span", { class: "image", dir: "auto" }, label);
    const id = attachment.exec(src)?.[1];
    if (!id || !app.canCall) return place;
    load.set(place, () => void show(app, place, id, documentID, description));
    observer.observe(place);
    return place;
  };
}

async function show(app: App, place: HTMLElement, id: string, documentID: string, description: string): Promise<void> {
  try {
    const { content = [] } = await app.content("read_attachment", { attachment_id: id, document_id: documentID, max_bytes: maxBytes });
    const image = content.find((block) => block.type === "image" && types.test(block.mimeType ?? "") && block.data);
    if (!image) throw new Error();
    place.replaceChildren(h("img", { src: `data:${image.mimeType};base64,${image.data}`, alt: description }));
    place.classList.add("loaded");
  } catch {
    place.append(" (could not be loaded)");
  }
}
