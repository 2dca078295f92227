// An App is an AI client: it keeps what an OAuth client has to keep, in memory, and has a
// person who follows its links.
import assert from "node:assert/strict";
import { consent } from "../login.mjs";

export class App {
  logins = 0; // times that the person logged in
  renewals = 0; // times that it got tokens
  redirectUrl = "http://127.0.0.1:1/callback"; // nobody listens; the person reads the address
  #client; #transport; #kept = {}; #link;

  constructor(server, generation, person = {}) {
    Object.assign(this, { server, generation, person });
  }

  // use connects unless it is connected, and does something with the client. If that needs
  // a login, the person logs in, and it is done again.
  async use(work) {
    try {
      await this.#connect();
      return await work(this.#client);
    } catch (error) {
      if (!this.#link) {
        await this.close(); // a transport of SDK 1 that fails right after a renewal does not renew again
        throw error;
      }
      const answer = await consent(this.#link, this.person);
      this.#link = undefined;
      if (answer.searchParams.has("error")) throw new Error(answer.searchParams.get("error"));
      await this.#transport.finishAuth(answer.searchParams.get("code"), answer.searchParams.get("iss"));
      this.logins++;
      await this.close();
      await this.#connect();
      return work(this.#client);
    }
  }

  // whoami returns the name of the person whose Outline the tools work with.
  async whoami() {
    const { content: [{ text }], isError } = await this.use((client) => client.callTool({ name: "get_workspace", arguments: {} }));
    assert.ok(!isError, text);
    return text.match(/^You are "(.+?)"/)[1];
  }

  async #connect() {
    if (this.#client) return;
    this.#transport = new this.generation.http(this.server.url, { authProvider: this });
    const client = this.generation.make({ name: "login-test", version: "1" });
    await client.connect(this.#transport);
    this.#client = client;
  }

  async close() {
    await this.#client?.close();
    this.#client = undefined;
  }

  // What follows is the OAuthClientProvider of the SDKs.
  get clientMetadata() {
    return { client_name: "Login test", redirect_uris: [this.redirectUrl], grant_types: ["authorization_code", "refresh_token"], response_types: ["code"], token_endpoint_auth_method: "none" };
  }
  clientInformation() { return this.#kept.client; }
  saveClientInformation(client) { this.#kept.client = client; }
  tokens() { return this.#kept.tokens; }
  saveTokens(tokens) { this.#kept.tokens = tokens; this.renewals++; }
  codeVerifier() { return this.#kept.verifier; }
  saveCodeVerifier(verifier) { this.#kept.verifier = verifier; }
  discoveryState() { return this.#kept.discovery; }
  saveDiscoveryState(state) { this.#kept.discovery = state; }
  redirectToAuthorization(link) { this.#link = link; }
  invalidateCredentials(what) {
    if (what === "all") this.#kept = {};
    delete this.#kept[what];
  }
}
