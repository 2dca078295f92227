#!/bin/sh
# Creates a document for each row of a CSV file with the columns title and
# text. A row is a line: its title has no comma, and nothing is in quotes.
# Usage: create.sh CSV COLLECTION
set -eu
OUTLINE_MCP=${OUTLINE_MCP:-outline-mcp}

failed=0
{
	read -r _ # the names of the columns
	while IFS=, read -r title text; do
		code=0
		id=$($OUTLINE_MCP call create_document title="$title" text="$text" collection_id="$2" \
			--raw --jq .document_id </dev/null) || code=$?
		case $code in
		0) echo "created $id $title" ;;
		3 | 6) exit $code ;; # not allowed, or too many: the next one would not fare better
		*) echo "FAILED $title" && failed=1 ;;
		esac
	done
} <"$1"
exit $failed
