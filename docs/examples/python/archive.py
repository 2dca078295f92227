"""Archives the documents that a file lists, one ID, slug or URL per line."""

from outline import call, lines, run


def main(path):
    documents = lines(path)
    failed = 0
    for start in range(0, len(documents), 100):
        answer = call("batch_archive_documents", document_ids=documents[start:start + 100])
        for item in answer["results"]:
            if item["status"] == "success":
                print("archived", item["id"], item["title"])
            elif item["code"] == "not_found":
                print("gone already", item["id"])
            else:
                print("FAILED", item["id"], item["code"], item["error"])
                failed += 1
    return 1 if failed else 0


run(main, "FILE")
