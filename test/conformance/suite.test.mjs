// Runs the official conformance suite: all of it against its own fixtures on
// our transport, and what needs no fixtures against the program itself.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { serve } from "../serve.mjs";
import { binary, buildFixtures, expectedFailures, scratch, suite } from "./tools.mjs";

// passes asserts that the suite ran and found only what is expected.
async function passes(ran, ...args) {
  const { code, stdout, stderr } = await suite("-o", scratch, ...args);
  const report = `${stdout.slice(Math.max(0, stdout.indexOf("=== SUMMARY")))}\n${stderr}`;
  assert.equal(code, 0, report);
  assert.ok(ran.test(stdout), report);
}

describe("the suite's fixtures on our transport", () => {
  let server;
  before(async () => { server = await serve(await buildFixtures(), [], process.env); });
  after(() => server.stop());

  for (const revision of ["2025-11-25", "2026-07-28"]) {
    it(`conform to ${revision}, but for what is expected`, () =>
      passes(/Total: [1-9]\d* passed/, "--url", server.url.href, "--requirements", revision, "--expected-failures", expectedFailures(revision)));
  }
});

// The scenarios that read resources want fixed ones under test://: the fixtures hold
// the transport against them, and resources/ tests the same of the program.
describe("the program itself", () => {
  let server;
  before(async () => {
    server = await serve(binary, ["--demo"], { MCP_TRANSPORT: "http", MCP_PORT: "0", LOG_FORMAT: "json", OUTLINE_STRUCTURED_OUTPUT: "true" });
  });
  after(() => server.stop());

  for (const [revision, scenarios] of Object.entries({
    "2025-11-25": ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "completion-complete", "dns-rebinding-protection"],
    "2026-07-28": ["tools-list", "resources-list", "prompts-list", "completion-complete", "sep-2164-resource-not-found", "caching", "dns-rebinding-protection", "server-sse-multiple-streams", "http-header-validation", "input-required-result-unsupported-methods"],
  })) {
    for (const scenario of scenarios) {
      it(`passes ${scenario} of ${revision}`, () =>
        passes(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/, "--url", server.url.href, "--scenario", scenario, "--spec-version", revision));
    }
  }
  for (const scenario of ["sep-2640-skills-enumeration", "sep-2640-skills-manifest"]) { // extensions have no place among the versions
    it(`passes ${scenario}`, () =>
      passes(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/, "--url", server.url.href, "--scenario", scenario, "--spec-version", "2026-07-28", "--force"));
  }
});
