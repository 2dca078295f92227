// The example calls of the tools, which are in tools/testdata/calls.
import { readFileSync, readdirSync } from "node:fs";

const folder = new URL("../tools/testdata/calls/", import.meta.url);

// exampleCalls returns the calls of all tools: { tool, name, args }.
export function exampleCalls() {
  return readdirSync(folder).flatMap((file) => {
    const sections = readFileSync(new URL(file, folder), "utf8").matchAll(/^-- (\S+)\/arguments\.json --\n((?:(?!-- ).*\n)*)/gm);
    return Array.from(sections, ([, name, args]) => ({ tool: file.replace(/\.txtar$/, ""), name, args: JSON.parse(args) }));
  });
}
