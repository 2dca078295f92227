// Starts two servers with login behind HAProxy, which sends requests to them in turn.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort, startOutline, startServer } from "../login.mjs";

const haproxy = process.env.HAPROXY ?? "/usr/sbin/haproxy";
export const skip = existsSync(haproxy) ? false : `needs HAProxy, at ${haproxy} or $HAPROXY`;

const configuration = (port, servers, socket) => `
global
    stats socket ${socket} mode 600 level admin
defaults
    mode http
    timeout connect 1s
    timeout client 30s
    timeout server 30s
    retries 3
    option redispatch 1
    option http-server-close
listen mcp
    bind 127.0.0.1:${port}
    balance roundrobin
    http-response set-header X-Served-By %s
${Object.entries(servers).map(([name, at]) => `    server ${name} 127.0.0.1:${at}`).join("\n")}
`;

// startBalanced starts everything. outline has arguments for the workspace.
export async function startBalanced({ outline: args = [] } = {}) {
  const [port, a, b] = [await freePort(), await freePort(), await freePort()];
  const ports = { a, b }, running = {};
  const publicURL = `http://127.0.0.1:${port}`;
  const outline = await startOutline(publicURL, ...args);
  const start = async (name, settings) => { running[name] = await startServer(outline, ports[name], publicURL, settings); };
  await Promise.all(Object.keys(ports).map((name) => start(name)));

  const scratch = mkdtempSync(join(tmpdir(), "balancer-"));
  const [file, socket] = [join(scratch, "haproxy.cfg"), join(scratch, "socket")];
  writeFileSync(file, configuration(port, ports, socket));
  const proxy = spawn(haproxy, ["-db", "-f", file], { stdio: ["ignore", "ignore", "ignore"] });
  const ended = new Promise((resolve) => proxy.once("exit", resolve));

  // order gives HAProxy an order, as its operator does, and returns the answer.
  const order = (line) => text(connect(socket).end(`${line}\n`));
  const busy = async (name) => {
    const fields = (await order("show stat")).split("\n").map((line) => line.split(","));
    return fields.find(([, server]) => server === name)[fields[0].indexOf("scur")] !== "0";
  };
  for (let left = 100; !existsSync(socket); left--) { // HAProxy says nowhere that it is ready
    assert.ok(left > 0, "HAProxy does not start");
    await sleep(50);
  }
  return {
    publicURL, url: new URL("/mcp", publicURL),

    // restart replaces a server by one with other settings, without losing a request.
    restart: async (name, settings) => {
      await order(`set server mcp/${name} state drain`);
      while (await busy(name)) await sleep(10);
      assert.equal(await running[name].stop(), 0, "exit code after SIGTERM");
      await start(name, settings);
      await order(`set server mcp/${name} state ready`);
    },

    // kill ends a server as a crash does.
    kill: (name) => running[name].kill(),
    start,
    stop: async () => {
      proxy.kill("SIGTERM");
      await Promise.all([ended, outline.stop(), ...Object.values(running).map((server) => server.stop())]);
      rmSync(scratch, { recursive: true });
    },
  };
}
