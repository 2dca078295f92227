#!/bin/sh
# Moves the documents listed in a file, one ID per line, to a collection, and
# retries the failures that are safe to retry.
# Usage: watch.sh FILE COLLECTION
set -eu
OUTLINE_MCP=${OUTLINE_MCP:-outline-mcp}
[ $# -eq 2 ] || { sed -n '/^# /s/^# //p; /^set/q' "$0" >&2 && exit 2; }
[ -f "$1" ] && [ -r "$1" ] || { echo "cannot read the file $1" >&2 && exit 1; }

# move DOCUMENTS COLLECTION moves the documents, one per line.
failed=0
move() {
	documents=$1
	attempt=1
	while [ -n "$documents" ]; do
		# A stream also answers with the results when every item failed.
		ids=$(printf '%s\n' "$documents" | sed 's/.*/"&",/' | tr -d '\n')
		results=$(printf '{"tool": "batch_move_documents", "arguments": {"document_ids": [%s], "collection_id": "%s"}}\n' "${ids%,}" "$2" |
			$OUTLINE_MCP call --stream - --quiet --raw --jq '
				(.result // .failure) | if .results then .results[] else error(.error) end |
				if .status == "success" then "moved \(.id)"
				# With these codes, nothing was done. After outcome_unknown, check first.
				elif .code == "rate_limited" or .code == "not_attempted" then "again \(.id) \(.retry_after_seconds // 1) \(.code)"
				else "FAILED \(.id) \(.code)" end') || [ -n "$results" ]
		documents=
		pause=0
		while read -r what id seconds code; do
			case $what in
			again)
				if [ $attempt -lt 5 ]; then
					echo "once more $id $code"
					documents=$(printf '%s\n%s' "$documents" "$id" | grep .)
					[ "${seconds%.*}" -le $pause ] || pause=${seconds%.*}
					continue
				fi
				echo "FAILED $id $code" && failed=1
				;;
			FAILED) echo "FAILED $id $seconds" && failed=1 ;;
			*) echo "$what $id" ;;
			esac
		done <<END
$results
END
		attempt=$((attempt + 1))
		sleep $pause
	done
}

# Editors on Windows end lines with CR LF, and may write a byte order mark.
mark=$(printf '\357\273\277')
list=$(tr -d '\r' <"$1" | sed "1s/^$mark//; s/^[[:blank:]]*//; s/[[:blank:]]*\$//" | grep .) || [ -z "$list" ]
while [ -n "$list" ]; do # a batch takes 100
	move "$(printf '%s\n' "$list" | sed 100q)" "$2"
	list=$(printf '%s\n' "$list" | sed 1,100d)
done
exit $failed
