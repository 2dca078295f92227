// The script of the page that shows a view.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const all = { openLinks: {}, serverTools: {}, serverResources: {}, updateModelContext: { text: {} }, message: { text: {} } };

// capabilities replaces what the host can do.
window.show = async ({ url, tool, args, result, context, capabilities = all }) => {
  const frame = document.querySelector("iframe");
  frame.sandbox = "allow-scripts";
  const bridge = new AppBridge(null, { name: "views-test", version: "1" }, capabilities, { hostContext: { ...context, toolInfo: { tool } } });
  const forward = (method) => (params) => window.hostCalls(method, params);
  bridge.oncalltool = forward("tools/call");
  bridge.onreadresource = forward("resources/read");
  bridge.onopenlink = forward("ui/open-link");
  bridge.onmessage = forward("ui/message");
  bridge.onupdatemodelcontext = forward("ui/update-model-context");
  bridge.onrequestdisplaymode = forward("ui/request-display-mode");
  bridge.addEventListener("sizechange", ({ height }) => { if (height) frame.style.height = `${height}px`; });
  const ready = new Promise((resolve) => bridge.addEventListener("initialized", resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = url;
  await ready;
  window.bridge = bridge; // tests change the host's context
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
};
