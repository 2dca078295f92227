"""Lists the documents about a topic that have not changed since a given day."""

from outline import call, run


def main(query, day):
    offset = 0
    while offset is not None:
        page = call("search_documents", query=query, detail_level="full", limit=100, offset=offset)
        for document in page["results"]:
            if document["updated_at"] < day:  # times are RFC 3339 in UTC: they sort as text
                print(document["updated_at"][:10], document["document_id"], document["title"])
        offset = page.get("next_offset")


run(main, "QUERY DAY")
