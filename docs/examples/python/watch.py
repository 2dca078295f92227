"""Moves the documents that a file lists to a collection, and retries the failures that are safe to retry."""

import time

from outline import call, lines, run

# With these codes, nothing was done. After outcome_unknown, check first.
AGAIN = {"rate_limited", "not_attempted"}


def main(path, collection):
    documents = lines(path)
    failed = 0
    for start in range(0, len(documents), 100):  # a batch takes 100
        failed += move(documents[start:start + 100], collection)
    return 1 if failed else 0


def move(documents, collection):
    """Moves documents and returns how many could not be moved."""
    failed = 0
    for attempt in range(1, 6):
        answer = call("batch_move_documents", document_ids=documents, collection_id=collection)
        again, pause = [], 0
        for item in answer["results"]:
            if item["status"] == "success":
                print("moved", item["id"])
            elif item["code"] in AGAIN and attempt < 5:
                print("once more", item["id"], item["code"])
                again.append(documents[item["index"]])
                pause = max(pause, item.get("retry_after_seconds", 1))
            else:
                print("FAILED", item["id"], item["code"])
                failed += 1
        if not again:
            break
        documents = again
        time.sleep(pause)
    return failed


run(main, "FILE COLLECTION")
