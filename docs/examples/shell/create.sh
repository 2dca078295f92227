#!/bin/sh
# Creates a document for each row of a CSV file with the columns title and
# text. A row is one line, without commas in its title and without quotes.
# Usage: create.sh CSV COLLECTION
set -eu
OUTLINE_MCP=${OUTLINE_MCP:-outline-mcp}
[ $# -eq 2 ] || { sed -n '/^# /s/^# //p; /^set/q' "$0" >&2 && exit 2; }
[ -f "$1" ] && [ -r "$1" ] || { echo "cannot read the file $1" >&2 && exit 1; }

# Editors on Windows end lines with CR LF, and may write a byte order mark.
mark=$(printf '\357\273\277')
rows=$(tr -d '\r' <"$1" | sed "1s/^$mark//")
if [ "$(printf '%s\n' "$rows" | sed -n 1p)" != title,text ]; then
	echo "$1 must begin with the line title,text" >&2
	exit 1
fi
case $rows in
*\"*)
	echo "$1 has quotes, which a shell script cannot parse; use one of the other scripts" >&2
	exit 1
	;;
esac

failed=0
while IFS= read -r row; do
	title=${row%%,*}
	case $row in
	title,text | '') continue ;; # the names of the columns, or a blank line
	*,*) ;;
	*) echo "FAILED $row: the row has no text" && failed=1 && continue ;;
	esac
	code=0
	id=$($OUTLINE_MCP call create_document title="$title" text="${row#*,}" collection_id="$2" \
		--raw --jq .document_id </dev/null) || code=$?
	case $code in
	0) echo "created $id $title" ;;
	*) echo "FAILED $title" && failed=1 ;;
	esac
	case $code in
	3 | 6) # not allowed, or too many: the next one would fail too
		echo "the rows after this one were not tried" >&2
		exit $code
		;;
	esac
done <<END
$rows
END
exit $failed
