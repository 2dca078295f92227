#!/bin/sh
# Archives the documents listed in a file, one ID, slug or URL per line.
# Usage: archive.sh FILE
set -eu
OUTLINE_MCP=${OUTLINE_MCP:-outline-mcp}
[ $# -eq 1 ] || { sed -n '/^# /s/^# //p; /^set/q' "$0" >&2 && exit 2; }
[ -f "$1" ] && [ -r "$1" ] || { echo "cannot read the file $1" >&2 && exit 1; }

# Editors on Windows end lines with CR LF, and may write a byte order mark.
mark=$(printf '\357\273\277')
calls=$(tr -d '\r' <"$1" | sed "1s/^$mark//" | while read -r document || [ -n "$document" ]; do
	[ -z "$document" ] || printf '{"tool": "archive_document", "id": "%s", "arguments": {"document_id": "%s"}}\n' "$document" "$document"
done)
[ -n "$calls" ] || exit 0

# One call for each line, all in one process. Each is answered with one line.
code=0
answers=$(printf '%s\n' "$calls" | $OUTLINE_MCP call --stream - --quiet --raw --jq '
	if .ok then "archived \(.result.document_id) \(.result.title)"
	elif .failure.code == "not_found" then "gone already \(.id)"
	else "FAILED \(.id // .line) \(.failure.code) \(.failure.error)" end | gsub("\n"; " ")') || code=$?
[ -z "$answers" ] || printf '%s\n' "$answers"
if [ "$(printf '%s\n' "$answers" | grep -c .)" -ne "$(printf '%s\n' "$calls" | grep -c .)" ]; then
	echo "the run stopped early; check which of the other documents are archived" >&2
	exit 1
fi
case $code in
0 | 4) ! printf '%s\n' "$answers" | grep -q '^FAILED' ;; # 4: the first failure is not_found
*) exit $code ;;
esac
