package main

// parts returns all parts, in the order of the report.
func parts() []part {
	return []part{
		{
			name: "start", title: "Start",
			about: "From the start of the process to its answer to `initialize` on standard output, with the default tools. " +
				"An AI client waits for this in every session. " +
				"The floor is a program that uses the same MCP library and has one tool with a constant answer.",
			run: runStart,
		},
		{
			name: "memory", title: "Memory",
			about: "Resident memory of the server on standard input and output after 10,000 calls in sequence: `read_document` of a small document, from a workspace in another process. " +
				"The floor is the minimal program after the same number of calls of its constant tool.",
			run: runMemory,
		},
		{
			name: "binary", title: "Binary",
			about: "All programs are built with `CGO_ENABLED=0 go build -trimpath -ldflags '-s -w'`. " +
				"The floor is the minimal program on standard input and output, from which the linker can leave out HTTP and TLS. " +
				"The minimal server over HTTP includes them, too.",
			run: runBinary,
		},
		{
			name: "call", title: "One call",
			about: "Calls of `read_document` of a small document, one at a time, with a workspace in another process, alternating with a plain POST of net/http for the same document. " +
				"The difference is what the server adds. " +
				"Over HTTP, a second hop is a second request, which the minimal server pays for as well: the last row is what the program adds to that.",
			run: runCall,
		},
		{
			name: "load", title: "A team over HTTP",
			about: "64 clients make small reading calls, each again as soon as it has its answer, with the keys of 1,000 users in turn. " +
				"The embedded workspace answers from another process. " +
				"The floor is a minimal stateless server with the same library, whose only tool makes the same request to Outline with plain net/http and answers with the title. " +
				"The two servers alternate. " +
				"The clients and the workspace, which both servers need equally, share the processors with them.",
			run: runLoad,
		},
		{
			name: "fair", title: "A batch beside a read",
			about: "One caller has 64 calls under way all the time, as many as its key may, while another reads one small document after the other. " +
				"Outline, in another process, takes 50 ms to answer. The floor is the same read without the batch. " +
				"The clients, the server and the workspace share the processors.",
			run: runFair,
		},
		{
			name: "leave", title: "Clients that go away",
			about: "200 clients, each with its own key, close their connections while Outline, in another process, takes 2 s to answer their calls. " +
				"The benchmark compares `go_goroutines` of /metrics before and within 2 s after that.",
			run: runLeave,
		},
		{
			name: "listeners", title: "Listeners",
			about: "500 open streams of 100 users (`subscriptions/listen`) on one server with the default settings, for changes to a document, its outline, its comments and its collection, with a workspace in another process. " +
				"Nothing changes. The memory is compared with that after one call. The floor of the requests is one per user and interval, 7/3 s for the three lists that these resources need, whatever the number of streams.",
			run: runListeners,
		},
		{
			name: "document", title: "Long documents",
			about: "A document of 1 MB, without a size limit: from the line of the request to the line of the answer, in the server on standard input and output, with Outline's answer in memory. " +
				"For `read_document`, the floor is json.Unmarshal of Outline's answer into a struct of five fields. " +
				"For the outline and the section, it is goldmark's parser, with tables, on the text; for the diffs, the two requests for the texts, to a workspace in the same process. " +
				"The allocated memory is compared with the size of the document. Over HTTP, it is that of a server process, counted by its /metrics, with Outline in this one.",
			run: runDocument,
		},
		{
			name: "batches", title: "A hundred operations",
			about: "100 documents in one call, or in two where a tool takes 50, with a workspace in another process whose answers take 50 ms. " +
				"The floor is the round trips that must follow each other, of 50 ms each: of n requests, n / OUTLINE_BATCH_CONCURRENCY, rounded up. " +
				"An update needs two for each document, as it reads before it writes. Published siblings are created one after the other, because only that keeps their order.",
			run: runBatches,
		},
		{
			name: "find", title: "Searching every line",
			about: "`find_in_documents` in 2,000 documents of 5 KB, for what is in none of them, with an Outline in another process whose answers take 50 ms. " +
				"The floor is the same requests for lists of documents with their texts, as many at a time, with plain net/http, which reads the answers and does nothing with them.",
			run: runFind,
		},
		{
			name: "files", title: "Files",
			about: "`read_attachment` of an image of 5 MB that has to be scaled down: the processor time of the server for each call, and its memory. `upload_attachment` of a file of 100 MiB from the disk. " +
				"Outline is in another process.",
			run: runFiles,
		},
		{
			name: "tokens", title: "What it takes of the model's context",
			about: "What an AI client sends to the model: the tool list once per session, the answers with each call. Four characters are a token. " +
				"The floor of the texts in bytes is their structured content, the same facts as compact JSON; the tree of 100 is a generated collection, the others come from the sample workspace. " +
				"Beside the texts in characters are recorded answers of Outline's own MCP server to the same kind of request in another workspace, so that a ratio shows the order of magnitude only; the goal is this server's share at that time. " +
				"The tasks are what somebody who is new to a wiki asks an assistant: a script solves each on the sample workspace as a model does, with the text of the answers only. " +
				"Counted are names, arguments and answers of all its calls. The floor of a summary is the text of the pages.",
			run: runTokens,
		},
		{
			name: "hostile", title: "Requests that are meant to exhaust it",
			about: "The maximum memory of the server, above its memory when idle, for requests of 8 MiB in shapes that cost more than they seem to, with keys that Outline does not know. " +
				"Each line uses its own server with the default settings. " +
				"Most of the requests are refused.",
			run: runHostile,
		},
		{
			name: "abuse", title: "Honest callers beside hostile ones",
			about: "A hundred requests a second, with at most 32 at a time: reads of a short document by a thousand users, and each twentieth request one of those above, most of them with a made-up key. " +
				"One server, with the default settings, and Outline's answers take 10 ms. `-for` sets the length.",
			run: runAbuse, once: true,
		},
		{
			name: "soak", title: "A long time with failures",
			about: "Three replicas behind one address, with login, https and an audit trail each, while everything around them fails. One in twenty requests to Outline fails: " +
				"reset or left to hang before or after Outline handles it, cut in its answer, or answered with 429, 500, 502, 503, 504, a web page or other JSON. " +
				"Every 20 s, in turn, the certificate is renewed, a replica other than the first is killed with SIGKILL and restarted, or all requests to Outline fail for 3 s. " +
				"Six callers read, four append to documents of their own and read them back, eight listen for changes, and a person logs in, renews the login and calls tools with it. " +
				"At the end, the documents are compared with what the callers were told, and the audit trails with both. " +
				"Memory and goroutines are those of the first replica: medians of the last minute and of the one after the first five minutes, or after half of a shorter soak. `-for` sets the length.",
			run: runSoak, once: true,
		},
		{
			name: "growth", title: "Growth",
			about: "What a call costs the server, depending on the size of its subject. " +
				"It is measured like the long documents above, with Outline's answers in memory and callers over HTTP. " +
				"The slope is that of the upper half of the sizes on the chart with two logarithmic axes: 1 is linear, and less is better. " +
				"Each size counts with the lower quartile of its measurements, which other activity of the machine affects least. " +
				"The floor column has the cost at the smallest size.",
			run: runGrowth,
		},
	}
}
