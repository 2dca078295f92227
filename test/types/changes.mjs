// Makes invalid values from valid ones, according to the JSON Schema.
import Ajv from "ajv/dist/2020.js";

const ajv = new Ajv({ strict: false, validateFormats: false });

const ways = {
  "null": () => null,
  "a number": () => 1.5,
  "a text": () => "no such value",
};

// places returns the paths of all values in a value; in lists, only those of the first
// element.
function places(value, at = []) {
  if (value === null || typeof value !== "object") return [at];
  const inside = Array.isArray(value) ? [...value.keys()].slice(0, 1) : Object.keys(value);
  return [at, ...inside.flatMap((key) => places(value[key], [...at, key]))];
}

const find = (value, at) => at.reduce((inside, key) => inside[key], value);

// changed returns a copy of a value in which the function edit has changed the parent
// of the value at a path.
function changed(value, at, edit) {
  const root = { root: structuredClone(value) };
  const path = ["root", ...at];
  edit(find(root, path.slice(0, -1)), path.at(-1));
  return root.root;
}

// wrongs returns values that the schema rejects and values with an unknown key, as {
// how, value }.
export function wrongs(schema, right) {
  const validate = ajv.compile(schema);
  const found = [];
  const add = (how, value) => { if (!validate(value)) found.push({ how, value }); };
  for (const at of places(right)) {
    const was = find(right, at);
    const where = at.join(".") || "all of it";
    for (const [how, make] of Object.entries(ways)) {
      // None of these languages distinguishes numbers as schemas do.
      if (typeof was === "number" && how === "a number") continue;
      add(`${where} is ${how}`, changed(right, at, (holder, key) => { holder[key] = make(); }));
    }
    if (typeof at.at(-1) === "string") {
      add(`${where} is missing`, changed(right, at, (holder, key) => { delete holder[key]; }));
    }
    if (was !== null && typeof was === "object" && !Array.isArray(was)) {
      found.push({ how: `${where} has more`, value: changed(right, at, (holder, key) => { holder[key].no_such_key = 1; }) });
    }
  }
  return found;
}

// samples returns the values to check the types of each tool with, as { tool, side,
// how, value, right }: all valid ones, and each kind of invalid one once.
export function samples(calls) {
  const seen = new Set();
  const all = [];
  for (const { tool, name, args, answer, failed, inputSchema, outputSchema } of calls) {
    const sides = [{ side: "result", schema: outputSchema, value: answer }];
    if (!failed) sides.push({ side: "arguments", schema: inputSchema, value: args });
    for (const { side, schema, value } of sides) {
      all.push({ tool, side, failed, how: name, value, right: true });
      for (const wrong of wrongs(schema, value)) {
        const kind = [tool, side, failed, wrong.how].join();
        if (seen.has(kind)) continue;
        seen.add(kind);
        all.push({ tool, side, failed, how: wrong.how, value: wrong.value, right: false });
      }
    }
  }
  return all;
}
