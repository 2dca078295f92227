"""Calls the tools of an outline-mcp HTTP server, with only the standard library."""

import http.client
import json
import os
import sys
import urllib.error
import urllib.request

URL = os.environ.get("OUTLINE_MCP_URL", "http://127.0.0.1:3000/mcp")
KEY = os.environ.get("OUTLINE_API_KEY", "")


class Failure(Exception):
    """The failure of a tool. Its code is one of a fixed list, so you can switch on it."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def call(tool, **arguments):
    """Calls a tool and returns the structured content of its answer."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    request = urllib.request.Request(URL, json.dumps(message).encode(), {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "X-Outline-API-Key": KEY,
    })
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.load(response)
    except urllib.error.HTTPError as error:
        code = "outcome_unknown" if error.code >= 500 else "unreachable"
        raise Failure(code, f"{URL} answers {error.code} {error.reason}") from error
    except urllib.error.URLError as error:
        raise Failure("unreachable", f"no connection to {URL}: {error.reason}") from error
    except (OSError, http.client.HTTPException, ValueError) as error:  # after the call was sent
        raise Failure("outcome_unknown", f"no answer from {URL}: {error}. After a write, check whether it happened") from error
    if "error" in answer:  # the request itself was wrong, such as the name of the tool
        raise Failure("invalid_arguments", answer["error"]["message"])
    content = answer["result"].get("structuredContent")
    if content is None:
        raise Failure("unsupported", "set OUTLINE_STRUCTURED_OUTPUT=true for the server")
    # A batch in which every item failed is also a failure: its results say more.
    if answer["result"].get("isError") and "results" not in content:
        raise Failure(content["code"], content["error"])
    return content


def run(main, usage):
    """Runs a script with its arguments and reports what goes wrong."""
    if len(sys.argv) != 1 + len(usage.split()):
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} {usage}")
    if not KEY:
        sys.exit("set OUTLINE_API_KEY")
    try:
        sys.exit(main(*sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"{failure} ({failure.code})")
    except (OSError, ValueError) as error:  # of a file
        sys.exit(str(error))


def lines(path):
    """Returns the lines of a file that are not blank."""
    with open(path, encoding="utf-8-sig") as file:
        return [line.strip() for line in file if line.strip()]
