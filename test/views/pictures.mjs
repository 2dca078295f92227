// Compares what views look like with the pictures in docs/views, which the documentation shows.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import UPNG from "upng-js";

const folder = join(import.meta.dirname, "../../docs/views");
const drawnBy = join(import.meta.dirname, "pictures-chromium.txt"); // the major version
const update = process.env.UPDATE_PICTURES === "1";
const colours = 256; // of a picture, which makes the file a third of its size
const limit = 150_000, limitOfAll = 1_000_000; // bytes
const seen = new Set(); // the files that have been compared

// The parts of the pixels and of the height that may differ. The fonts are the same everywhere,
// but another Chromium may draw them differently: hinting alone changes up to 6% of the pixels.
const sameChromium = { pixels: 0.001, height: 0 }, otherChromium = { pixels: 0.12, height: 0.03 };

// resembles asserts that a screenshot by a version of Chromium is like the picture of its name.
// With UPDATE_PICTURES=1, it writes the picture if it is not.
export function resembles(name, screenshot, version) {
  seen.add(`${name}.png`);
  const file = join(folder, `${name}.png`), major = version.split(".")[0];
  const same = update || readFileSync(drawnBy, "utf8").trim() === major;
  const problem = existsSync(file) ? difference(readFileSync(file), screenshot, same ? sameChromium : otherChromium) : "is missing";
  if (update) writeFileSync(drawnBy, `${major}\n`);
  if (problem === undefined) return;
  const to = update ? folder : join(tmpdir(), "outline-mcp-views");
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, `${name}.png`), reduced(screenshot));
  assert.ok(update, `docs/views/${name}.png ${problem}; ${to} has what the view looks like now. If that is right, run npm run pictures in test/views.`);
}

// complete asserts that each picture has been compared, and that the pictures are small.
export function complete() {
  const files = readdirSync(folder), sizes = files.map((file) => statSync(join(folder, file)).size);
  assert.deepEqual(files.filter((file) => !seen.has(file)), [], "pictures in docs/views that no test compares");
  assert.ok(Math.max(...sizes) <= limit && sizes.reduce((a, b) => a + b) <= limitOfAll, `the pictures have ${sizes} bytes`);
}

// difference says how two pictures differ, or returns undefined if they are alike.
function difference(known, screenshot, allowed) {
  const [was, is] = [known, screenshot].map((png) => UPNG.decode(png));
  if (is.width !== was.width || Math.abs(is.height - was.height) > allowed.height * was.height) return `is ${was.width} × ${was.height} pixels, not ${is.width} × ${is.height}`;
  const height = Math.min(is.height, was.height), size = is.width * height;
  const pixels = pixelmatch(...[was, is].map((image) => new Uint8Array(UPNG.toRGBA8(image)[0], 0, 4 * size)), undefined, is.width, height);
  return pixels > allowed.pixels * size ? `differs in ${pixels} of ${size} pixels` : undefined;
}

function reduced(png) {
  const image = UPNG.decode(png);
  return Buffer.from(UPNG.encode(UPNG.toRGBA8(image), image.width, image.height, colours));
}
