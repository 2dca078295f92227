// Starts the server with login in front of the embedded workspace, and is the person who
// logs in, for the tests in this folder.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { serve } from "./serve.mjs";

export const binary = process.env.OUTLINE_MCP_BINARY;
assert.ok(binary, "set OUTLINE_MCP_BINARY to the program to test");

export const secret = "a secret for tests of 32 bytes or more";

// freePort returns a port of the loopback interface that is free now.
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject).listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

// startOutline starts the embedded workspace with an application that has the redirect
// URI of a public URL, and returns the settings for it and a function that stops it.
export async function startOutline(publicURL, ...args) {
  const program = spawn(binary, ["workspace", "--listen", "127.0.0.1:0", "--oauth-redirect", `${publicURL}/oauth/callback`, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => program.once("exit", resolve));
  const stop = () => { program.kill("SIGTERM"); return ended; };
  const settings = {};
  for await (const line of createInterface({ input: program.stdout })) {
    const [, name, value] = line.match(/^(\w+)=(.*)$/);
    settings[name] = value;
    if (name === "MCP_OAUTH_CLIENT_SECRET") break;
  }
  program.stdout.resume();
  delete settings.OUTLINE_API_KEY;
  return { settings, stop };
}

// startServer starts a server with login at a port.
export const startServer = (outline, port, publicURL, settings) =>
  serve(binary, [], {
    ...outline.settings, MCP_TRANSPORT: "http", MCP_HOST: "127.0.0.1", MCP_PORT: String(port), LOG_FORMAT: "json",
    MCP_PUBLIC_URL: publicURL, MCP_OAUTH_SECRET: secret, MCP_OAUTH_CIMD: "false", OUTLINE_TOOLS: "default,get_workspace", ...settings,
  });

// start starts both. outline has arguments for the workspace.
export async function start({ outline: args = [], settings = {} } = {}) {
  const port = await freePort();
  const publicURL = `http://127.0.0.1:${port}`;
  const outline = await startOutline(publicURL, ...args);
  try {
    const server = await startServer(outline, port, publicURL, settings);
    return {
      publicURL, url: new URL("/mcp", publicURL),
      stop: async () => { await outline.stop(); assert.equal(await server.stop(), 0, "exit code after SIGTERM"); },
    };
  } catch (error) {
    await outline.stop();
    throw error;
  }
}

// startDemo starts a server with login that contains its own Outline.
export async function startDemo() {
  const port = await freePort();
  const publicURL = `http://127.0.0.1:${port}`;
  const server = await serve(binary, ["--demo"], { MCP_TRANSPORT: "http", MCP_HOST: "127.0.0.1", MCP_PORT: String(port), LOG_FORMAT: "json", MCP_PUBLIC_URL: publicURL, OUTLINE_TOOLS: "default,get_workspace" });
  return { ...server, publicURL };
}

// formOf returns the first form of a page: where it leads, and its hidden fields.
function formOf(page, base) {
  const [, action, inner] = page.match(/<form[^>]* action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/) ?? assert.fail(`no form in ${page}`);
  const fields = new URLSearchParams();
  for (const [, name, value] of inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)) fields.append(name, plain(value));
  return { action: new URL(plain(action), base), fields, inner };
}

const plain = (html) => html.replaceAll("&#34;", '"').replaceAll("&#39;", "'").replaceAll("&#43;", "+").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

// consent is a person with a browser without scripts: it follows an authorization URL,
// decides, logs in to Outline, and returns the URL at which the client gets its answer.
export async function consent(authorization, { decision = "allow", person = "Isla Renwick", scope } = {}) {
  const goal = new URL(authorization).searchParams.get("redirect_uri");
  const jars = new Map(); // of cookies, by origin, which is stricter than by host
  const visit = async (url, fields) => {
    const jar = jars.get(url.origin) ?? new Map();
    jars.set(url.origin, jar);
    const headers = { Cookie: [...jar].map((pair) => pair.join("=")).join("; "), ...fields && { Origin: url.origin } };
    const response = await fetch(url, { method: fields ? "POST" : "GET", body: fields, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = cookie.match(/^([^=]+)=([^;]*)/);
      jar.set(name, value);
    }
    const page = await response.text();
    assert.ok(response.status < 400, page);
    const next = response.headers.get("location");
    return { url, page, next: next && new URL(next, url) };
  };

  let at = await visit(new URL(authorization));
  for (let step = 0; step < 10; step++) {
    if (at.next?.href.startsWith(goal)) return at.next;
    if (at.next) {
      at = await visit(at.next);
      continue;
    }
    const { action, fields, inner } = formOf(at.page, at.url);
    const [, chosen] = inner.match(new RegExp(`name="person" value="([^"]*)">${person}`)) ?? [];
    if (chosen) fields.set("person", chosen);
    else if (inner.includes('value="authorize"')) fields.set("decision", "authorize");
    else {
      fields.set("decision", decision);
      if (scope) fields.set("scope", scope);
    }
    at = await visit(action, fields);
  }
  assert.fail("the login does not end");
}
