"""Prints a document: its title and its text, however long it is."""

from outline import Failure, call, run


def main(document):
    line = 1
    while line:
        try:
            part = call("read_document", document_id=document, start_line=line)
        except Failure as failure:
            if failure.code == "not_found":
                return f"there is no document {document}"
            raise
        if line == 1:
            print(f"# {part['title']}\n")
        print(part["text"])
        line = part.get("next_start_line")


run(main, "DOCUMENT")
