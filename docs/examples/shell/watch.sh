#!/bin/sh
# Moves the documents listed in a file, one ID per line, to a collection, and
# retries the failures that are safe to retry.
# Usage: watch.sh FILE COLLECTION
set -eu
OUTLINE_MCP=${OUTLINE_MCP:-outline-mcp}
[ $# -eq 2 ] || { sed -n '/^# /s/^# //p; /^set/q' "$0" >&2 && exit 2; }
[ -f "$1" ] && [ -r "$1" ] || { echo "cannot read the file $1" >&2 && exit 1; }

# move DOCUMENT COLLECTION moves a document and returns the exit code of the call.
move() {
	$OUTLINE_MCP call move_document document_id="$1" collection_id="$2" --raw --jq '"moved \(.document_id)"' </dev/null
}

# Editors on Windows end lines with CR LF, and may write a byte order mark.
mark=$(printf '\357\273\277')
failed=0
while read -r document; do
	[ -n "$document" ] || continue
	for pause in 1 2 4 8 0; do
		code=0
		move "$document" "$2" || code=$?
		# With this code, nothing was done. After 7 (outcome unknown), check first.
		[ $code -eq 6 ] && [ $pause -gt 0 ] || break
		echo "once more $document rate_limited"
		sleep $pause
	done
	case $code in
	0) ;;
	4) echo "FAILED $document not_found" && failed=1 ;;
	*) echo "FAILED $document" && failed=1 ;;
	esac
done <<END
$(tr -d '\r' <"$1" | sed "1s/^$mark//")
END
exit $failed
