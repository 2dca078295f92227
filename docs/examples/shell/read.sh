#!/bin/sh
# Prints a document: its title and its text.
# Usage: read.sh DOCUMENT, a UUID, slug or URL
set -eu
OUTLINE_MCP=${OUTLINE_MCP:-outline-mcp}
[ $# -eq 1 ] || { sed -n '/^# /s/^# //p; /^set/q' "$0" >&2 && exit 2; }

# Without the limit, a long document comes in one piece.
code=0
OUTLINE_MAX_RESPONSE_CHARS=0 $OUTLINE_MCP call read_document document_id="$1" \
	--raw --jq '"# \(.title)\n\n\(.text)"' || code=$?
case $code in
0) ;;
4) echo "there is no document $1" >&2 ;;
*) echo "the document could not be read" >&2 ;;
esac
exit $code
