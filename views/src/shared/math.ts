// TeX as MathML, for what formulas in documents mostly are: fractions, roots, indices, Greek,
// relations, sums, and matrices. Temml, which knows all of TeX, has more than the whole view
// may. A formula with anything else is shown as its source.

const ns = "http://www.w3.org/1998/Math/MathML";

const greek = "alpha:α beta:β gamma:γ delta:δ epsilon:ϵ varepsilon:ε zeta:ζ eta:η theta:θ vartheta:ϑ iota:ι kappa:κ lambda:λ mu:μ nu:ν xi:ξ pi:π rho:ρ sigma:σ tau:τ upsilon:υ phi:ϕ varphi:φ chi:χ psi:ψ omega:ω Gamma:Γ Delta:Δ Theta:Θ Lambda:Λ Xi:Ξ Pi:Π Sigma:Σ Phi:Φ Psi:Ψ Omega:Ω infty:∞ partial:∂ nabla:∇ hbar:ℏ ell:ℓ emptyset:∅ Re:ℜ Im:ℑ";
const signs = "times:× cdot:⋅ div:÷ pm:± mp:∓ le:≤ leq:≤ ge:≥ geq:≥ ne:≠ neq:≠ approx:≈ equiv:≡ sim:∼ propto:∝ in:∈ notin:∉ subset:⊂ subseteq:⊆ cup:∪ cap:∩ to:→ rightarrow:→ leftarrow:← Rightarrow:⇒ Leftrightarrow:⇔ mapsto:↦ forall:∀ exists:∃ neg:¬ land:∧ lor:∨ ldots:… dots:… cdots:⋯ circ:∘ mid:∣ ll:≪ gg:≫ langle:⟨ rangle:⟩ lfloor:⌊ rfloor:⌋ lceil:⌈ rceil:⌉ prime:′ degree:° sum:∑ prod:∏ int:∫ oint:∮ bigcup:⋃ bigcap:⋂";
const table = (list: string) => new Map(list.split(" ").map((entry) => entry.split(":") as [string, string]));
const letters = table(greek);
const operators = table(signs);
const stacked = new Set(["∑", "∏", "⋃", "⋂"]);
const functions = new Set("sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp lim max min sup inf det dim gcd arg deg".split(" "));
const spaces: Record<string, string> = { ",": "0.17em", ":": "0.22em", ";": "0.28em", " ": "0.3em", quad: "1em", qquad: "2em" };
const accents: Record<string, string> = { hat: "^", bar: "¯", vec: "→", dot: "˙", ddot: "¨", tilde: "~", overline: "¯" };
const texts = new Set(["text", "textrm", "mathrm", "operatorname", "textbf", "mathbf", "mathit", "mathbb", "mathcal"]);

class Unknown extends Error {}

/** Renders a formula, or its source where something in it is not known. */
export function renderMath(tex: string, block: boolean): Element {
  try {
    if (tex.length > 5000) throw new Unknown();
    const parser = new Parser(tex);
    const content = parser.row();
    parser.end();
    return element("math", block ? { display: "block" } : {}, ...content);
  } catch {
    const code = document.createElement("code");
    code.textContent = tex;
    return code;
  }
}

function element(tag: string, attributes: Record<string, string>, ...children: (Node | string)[]): Element {
  const made = document.createElementNS(ns, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const row = (nodes: Node[]): Node => (nodes.length === 1 ? nodes[0]! : element("mrow", {}, ...nodes));

class Parser {
  private tokens: string[];
  private at = 0;
  private depth = 0;

  constructor(tex: string) {
    this.tokens = tex.match(/\\[A-Za-z]+\*?|\\[\s\S]|\d+(?:\.\d+)?|\s+|[\s\S]/gu) ?? [];
  }

  end(): void {
    if (this.peek() !== undefined) throw new Unknown();
  }

  /** Reads until a token that closes what is open. */
  row(close?: "]"): Node[] {
    if (++this.depth > 50) throw new Unknown();
    const out: Node[] = [];
    for (let next = this.peek(); next !== undefined && next !== close && !["}", "&", "\\\\", "\\right", "\\end"].includes(next); next = this.peek()) {
      out.push(this.scripted());
    }
    this.depth--;
    return out;
  }

  private peek(): string | undefined {
    while (/^\s/.test(this.tokens[this.at] ?? "")) this.at++;
    return this.tokens[this.at];
  }

  private take(expected?: string): string {
    const token = this.peek();
    if (token === undefined || (expected !== undefined && token !== expected)) throw new Unknown();
    this.at++;
    return token;
  }

  private scripted(): Node {
    const base = this.atom();
    let below: Node | undefined, above: Node | undefined;
    for (let next = this.peek(); next === "_" || next === "^" || next === "'"; next = this.peek()) {
      this.at++;
      if (next === "_" && !below) below = this.argument();
      else if (next === "^" && !above) above = this.argument();
      else if (next === "'" && !above) above = element("mo", {}, "′");
      else throw new Unknown();
    }
    const over = stacked.has(base.textContent ?? "") || base.textContent === "lim";
    if (below && above) return element(over ? "munderover" : "msubsup", {}, base, below, above);
    if (below) return element(over ? "munder" : "msub", {}, base, below);
    return above ? element(over ? "mover" : "msup", {}, base, above) : base;
  }

  private argument(): Node {
    if (this.peek() !== "{") return this.atom();
    return this.group();
  }

  private group(): Node {
    this.take("{");
    const content = this.row();
    this.take("}");
    return row(content);
  }

  /** Reads a group as text. */
  private raw(): string {
    this.take("{");
    let text = "";
    for (let token = this.tokens[this.at++]; token !== "}"; token = this.tokens[this.at++]) {
      if (token === undefined || token === "{" || (token.startsWith("\\") && token !== "\\ ")) throw new Unknown();
      text += token === "\\ " ? " " : token;
    }
    return text;
  }

  private atom(): Node {
    const token = this.take();
    if (token === "{") {
      this.at--;
      return this.group();
    }
    if (token.startsWith("\\")) return this.command(token.slice(1));
    if (/^\d/.test(token)) return element("mn", {}, token);
    if (/^\p{L}$/u.test(token)) return element("mi", {}, token);
    if (/^[-+*/=<>()[\]|.,:;!?∑∫≤≥≠±×·→∈∞]$/u.test(token)) return element("mo", {}, token === "-" ? "−" : token);
    throw new Unknown();
  }

  private command(name: string): Node {
    const letter = letters.get(name), operator = operators.get(name);
    if (letter) return element("mi", {}, letter);
    if (operator) return element("mo", {}, operator);
    if (functions.has(name)) return element("mi", { mathvariant: "normal" }, name);
    if (Object.hasOwn(spaces, name)) return element("mspace", { width: spaces[name]! });
    if (Object.hasOwn(accents, name)) return element("mover", { accent: "true" }, this.argument(), element("mo", {}, accents[name]!));
    if (texts.has(name)) return element(name === "text" || name === "textrm" ? "mtext" : "mi", /bf$/.test(name) ? { style: "font-weight:bold" } : { mathvariant: "normal" }, this.raw());
    switch (name) {
      case "frac":
      case "dfrac":
      case "tfrac":
        return element("mfrac", {}, this.argument(), this.argument());
      case "sqrt":
        return this.root();
      case "left":
        return this.fenced();
      case "begin":
        return this.matrix();
      case "{":
      case "}":
      case "%":
      case "$":
      case "#":
      case "_":
        return element("mo", {}, name);
      case "|":
        return element("mo", {}, "‖");
      case "!":
        return element("mspace", { width: "-0.17em" });
    }
    throw new Unknown();
  }

  private root(): Node {
    if (this.peek() !== "[") return element("msqrt", {}, this.argument());
    this.take("[");
    const degree = row(this.row("]"));
    this.take("]");
    return element("mroot", {}, this.argument(), degree);
  }

  private fenced(): Node {
    const open = this.delimiter();
    const content = this.row();
    this.take("\\right");
    return element("mrow", {}, open, ...content, this.delimiter());
  }

  private delimiter(): Node {
    const token = this.take();
    if (token === ".") return element("mrow", {});
    const sign = /^[()[\]|/]$/.test(token) ? token : token === "\\|" ? "‖" : /^\\[{}]$/.test(token) ? token[1] : operators.get(token.slice(1));
    if (!sign) throw new Unknown();
    return element("mo", { stretchy: "true" }, sign);
  }

  private matrix(): Node {
    const name = this.raw();
    const fences: Record<string, [string, string]> = { matrix: ["", ""], pmatrix: ["(", ")"], bmatrix: ["[", "]"], vmatrix: ["|", "|"], cases: ["{", ""], aligned: ["", ""], align: ["", ""] };
    if (!Object.hasOwn(fences, name)) throw new Unknown();
    const rows: Node[] = [];
    let cells: Node[] = [];
    for (;;) {
      cells.push(element("mtd", {}, ...this.row()));
      const next = this.take();
      if (next === "&") continue;
      rows.push(element("mtr", {}, ...cells));
      cells = [];
      if (next === "\\end") break;
      if (next !== "\\\\") throw new Unknown();
    }
    if (this.raw() !== name) throw new Unknown();
    const [open, close] = fences[name]!;
    return element("mrow", {}, open && element("mo", { stretchy: "true" }, open), element("mtable", {}, ...rows), close && element("mo", { stretchy: "true" }, close));
  }
}
