#!/bin/sh
# Lists the documents on a topic that have not changed since a given day.
# Usage: stale.sh QUERY DAY, such as stale.sh runbook 2026-01-31
set -eu
OUTLINE_MCP=${OUTLINE_MCP:-outline-mcp}
[ $# -eq 2 ] || { sed -n '/^# /s/^# //p; /^set/q' "$0" >&2 && exit 2; }
case $2 in
[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]) ;;
*) echo "$2 is not a day such as 2026-01-31" >&2 && exit 2 ;;
esac

offset=0
while [ -n "$offset" ]; do
	# The first line is where the next page starts, or empty. Times are RFC
	# 3339 in UTC: they sort as text.
	page=$($OUTLINE_MCP call search_documents query="$1" detail_level=full limit=100 offset="$offset" --raw --jq '
		(.next_offset // ""),
		(.results[] | select(.updated_at < "'"$2"'") | "\(.updated_at[:10]) \(.document_id) \(.title)")')
	offset=$(printf '%s\n' "$page" | head -n 1)
	printf '%s\n' "$page" | tail -n +2
done
