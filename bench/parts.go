package main

// parts returns all parts, in the order of the report.
func parts() []part {
	return []part{
		{
			name: "start", title: "Start",
			about: "From the start of the process to its answer to `initialize` on standard output, with all tools. An AI client waits for it with every session. " +
				"The floor is a program of the same MCP library with one tool that has a constant answer.",
			run: runStart,
		},
		{
			name: "memory", title: "Memory",
			about: "Resident memory of the server on standard input and output after 10,000 calls, one after the other: `read_document` of a small document, from a workspace in another process. " +
				"The floor is the bare program after as many calls of its constant tool.",
			run: runMemory,
		},
		{
			name: "binary", title: "Binary",
			about: "All built with `CGO_ENABLED=0 go build -trimpath -ldflags '-s -w'`. The floor is the bare program on standard input and output, " +
				"which the linker spares all of HTTP and TLS; the bare server over HTTP has them, too.",
			run: runBinary,
		},
		{
			name: "call", title: "One call",
			about: "One `read_document` of a small document at a time, with a workspace in another process, in turns with a bare POST of net/http for the same document. What is more than that the server adds. " +
				"The bare server over HTTP is there to tell what of it is the MCP library's.",
			run: runCall,
		},
		{
			name: "load", title: "A team over HTTP",
			about: "64 clients call a small read at once, each again as soon as it is answered, with the keys of 1,000 users in turn. " +
				"The embedded workspace answers from a process of its own. The floor is a bare server of the same library, stateless, whose one tool makes the same request to Outline with plain net/http and answers with the title. " +
				"The two take turns; the clients and the workspace, which both need alike, share the processors with them.",
			run: runLoad,
		},
		{
			name: "leave", title: "Clients that go away",
			about: "200 clients, each with its key, close their connections while Outline, in a process of its own, takes 2 s to answer their calls. " +
				"Counted is `go_goroutines` of /metrics, before and within 10 s after.",
			run: runLeave,
		},
		{
			name: "document", title: "Long documents",
			about: "A document of 1 MB, without size limit: from the line of the request to that of the answer, in the server on standard input and output, Outline's answer being in memory. " +
				"For `read_document` the floor is json.Unmarshal of Outline's answer into a struct of five fields; for the other two it is the parser of goldmark, with tables, on the text. " +
				"What is allocated is compared with the size of the document.",
			run: runDocument,
		},
		{
			name: "archive", title: "A hundred operations",
			about: "`batch_archive_documents` of 100 UUIDs, with a workspace in another process whose answers take 50 ms. The floor is 100 / OUTLINE_BATCH_CONCURRENCY × 50 ms.",
			run:   runArchive,
		},
		{
			name: "size", title: "What it takes of the model's context",
			about: "Bytes that an AI client puts before the model: the tool list once in a session, the answers with each call. " +
				"The floor of an answer is its structured content, the same facts as compact JSON; the tree is a made collection, ten documents below each, the others are of the sample workspace.",
			run: runSize,
		},
		{
			name: "hostile", title: "Requests that are meant to exhaust it",
			about: "The most memory that the server has, above that when it is idle, for requests of 8 MiB in shapes that cost more than they seem to, with keys that Outline does not know. " +
				"Each line has a server of its own, with the default settings. Most of the requests are refused.",
			run: runHostile,
		},
		{
			name: "growth", title: "Growth",
			about: "What a call costs the server against the size of what it is about; measured like the long documents above, Outline's answers being in memory, callers over HTTP. " +
				"The slope is that of the upper half of the sizes on the chart with two logarithmic axes: 1 is linear, less is better. Of each size the lower quartile of the measurements counts, which what else the machine does moves least. The column of the floor has the cost at the smallest size.",
			run: runGrowth,
		},
	}
}
