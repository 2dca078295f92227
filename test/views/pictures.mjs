// Compares what a page looks like with pictures in the folder of that name.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";

const folder = process.env.SCREENSHOTS;
const tolerance = 0.03; // of the pixels, and of the height: fonts differ a little between machines

// resembles asserts that a picture is like the one of its name, if there is one. With
// SCREENSHOTS, it writes the picture there instead.
export function resembles(name, png) {
  const file = `${name.replaceAll(/\W+/g, "-")}.png`;
  if (folder) {
    mkdirSync(folder, { recursive: true });
    return writeFileSync(join(folder, file), png);
  }
  const known = join(import.meta.dirname, "pictures", file);
  if (!existsSync(known)) return;
  const [was, is] = [PNG.sync.read(readFileSync(known)), PNG.sync.read(png)];
  assert.equal(is.width, was.width, file);
  assert.ok(Math.abs(is.height - was.height) <= tolerance * was.height, `${file} is ${is.height} pixels high, not ${was.height}`);
  const height = Math.min(is.height, was.height), bytes = height * is.width * 4;
  const different = pixelmatch(was.data.subarray(0, bytes), is.data.subarray(0, bytes), undefined, is.width, height);
  assert.ok(different <= tolerance * is.width * height, `${different} pixels of ${file} differ`);
}
