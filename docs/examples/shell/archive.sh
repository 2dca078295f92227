#!/bin/sh
# Archives the documents that a file lists, one ID, slug or URL a line.
# Usage: archive.sh FILE
set -eu
OUTLINE_MCP=${OUTLINE_MCP:-outline-mcp}

# One call for each line, all in one process. Each is answered with one line.
code=0
answers=$(while read -r document; do
	[ -z "$document" ] || printf '{"tool": "archive_document", "id": "%s", "arguments": {"document_id": "%s"}}\n' "$document" "$document"
done <"$1" | $OUTLINE_MCP call --stream - --quiet --raw --jq '
	if .ok then "archived \(.result.document_id) \(.result.title)"
	elif .failure.code == "not_found" then "gone already \(.id)"
	else "FAILED \(.id // .line) \(.failure.code) \(.failure.error)" end') || code=$?
[ -n "$answers" ] || exit $code
printf '%s\n' "$answers"
! printf '%s\n' "$answers" | grep -q '^FAILED'
