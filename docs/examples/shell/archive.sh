#!/bin/sh
# Archives the documents listed in a file, one ID, slug or URL per line.
# Usage: archive.sh FILE
set -eu
OUTLINE_MCP=${OUTLINE_MCP:-outline-mcp}
[ $# -eq 1 ] || { sed -n '/^# /s/^# //p; /^set/q' "$0" >&2 && exit 2; }
[ -f "$1" ] && [ -r "$1" ] || { echo "cannot read the file $1" >&2 && exit 1; }

# Editors on Windows end lines with CR LF, and may write a byte order mark.
mark=$(printf '\357\273\277')
failed=0
while read -r document; do
	[ -n "$document" ] || continue
	code=0
	answer=$($OUTLINE_MCP call archive_document document_id="$document" --raw --jq '"archived \(.document_id) \(.title)"' 2>&1 </dev/null) || code=$?
	case $code in
	0) echo "$answer" ;;
	4) echo "gone already $document" ;;
	*) echo "FAILED $document $answer" && failed=1 ;;
	esac
done <<END
$(tr -d '\r' <"$1" | sed "1s/^$mark//")
END
exit $failed
