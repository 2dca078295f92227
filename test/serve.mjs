// Starts programs that serve MCP over HTTP, for the tests in this folder.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

// serve starts a program that logs its address in JSON, and returns its URL and
// functions that stop or kill it and resolve to the exit code.
export async function serve(command, args, env) {
  const program = spawn(command, args, { env, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => program.once("exit", (code, signal) => resolve(code ?? signal)));
  const end = (signal) => { program.kill(signal); return ended; };
  const stop = () => end("SIGTERM"), kill = () => end("SIGKILL");
  for await (const line of createInterface({ input: program.stderr })) {
    const { msg, address, path } = JSON.parse(line);
    if (msg !== "serving MCP over HTTP") continue;
    program.stderr.resume();
    return { url: new URL(path, `http://${address}`), stop, kill };
  }
  throw new Error(`${command} ended with ${await ended}`);
}
