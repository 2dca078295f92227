// Images of a document. A view has no network, so they come through read_attachment.
import { h } from "./dom";
import type { App } from "./view";

const attachment = /\/api\/attachments\.redirect\?id=([\da-f-]{36})/i;
const types = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;
const maxBytes = 300_000; // of an image; read_attachment scales it down
const maxCalls = 4; // at a time, because a document can have thousands of images

/** Returns what shows an image once it comes into view. Images that are not attachments are only named. */
export function images(app: App, documentID: string): (src: string, description: string) => HTMLElement {
  const load = new WeakMap<Element, () => void>();
  const known = new Map<string, Promise<string>>();
  const read = limited(maxCalls, (id: string) => imageOf(app, id, documentID));
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
    load.set(place, () => {
      if (!known.has(id)) known.set(id, read(id));
      void show(place, known.get(id)!, description);
    });
    observer.observe(place);
    return place;
  };
}

async function show(place: HTMLElement, image: Promise<string>, description: string): Promise<void> {
  try {
    place.replaceChildren(h("img", { src: await image, alt: description }));
    place.classList.add("loaded");
  } catch {
    place.append(" (could not be loaded)");
  }
}

/** Reads an image as a data: URL. */
async function imageOf(app: App, id: string, documentID: string): Promise<string> {
  const { content = [] } = await app.content("read_attachment", { attachment_id: id, document_id: documentID, max_bytes: maxBytes });
  const image = content.find((block) => block.type === "image" && types.test(block.mimeType ?? "") && block.data);
  if (!image) throw new Error("not an image");
  return `data:${image.mimeType};base64,${image.data}`;
}

/** Returns work that runs at most n times at once, and else waits. */
function limited<In, Out>(n: number, work: (given: In) => Promise<Out>): (given: In) => Promise<Out> {
  const waiting: (() => void)[] = [];
  let free = n;
  return async (given) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work(given);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
