"""Creates a document for each row of a CSV file with the columns title and text."""

import csv

from outline import call, run


def main(path, collection):
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, strict=True)
        if not {"title", "text"} <= set(rows.fieldnames or []):
            return f"{path} needs the columns title and text"
        documents = []
        try:
            for row in rows:
                if None in row or None in row.values():
                    return f"{path}, line {rows.line_num}: the row has more or fewer columns than the first line"
                documents.append({"title": row["title"], "text": row["text"], "collection_id": collection})
        except csv.Error as error:
            return f"{path}, line {rows.line_num}: {error}"
    failed = 0
    for start in range(0, len(documents), 25):  # Outline allows 25 a minute
        answer = call("batch_create_documents", documents=documents[start:start + 25])
        for item in answer["results"]:
            if item["status"] == "success":
                print("created", item["id"], item["title"])
            else:
                print("FAILED", documents[start + item["index"]]["title"], item["code"], item["error"])
                failed += 1
    return 1 if failed else 0


run(main, "CSV COLLECTION")
