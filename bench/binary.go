package main

import (
	"context"
	"os"
)

func runBinary(ctx context.Context, l *lab) (result, error) {
	var sizes []float64 // in MiB
	for _, name := range []string{product, bareStdio, bareHTTP} {
		info, err := os.Stat(l.binary(name))
		if err != nil {
			return result{}, err
		}
		sizes = append(sizes, float64(info.Size())/(1<<20))
	}
	ours, stdio, http := sample{sizes[0]}, sample{sizes[1]}, sample{sizes[2]}
	payers, err := whoPaysWhat(ctx, l)
	return result{
		rows: []row{
			compared("size of the binary", pair{ours, stdio}, inMiB, ratioAtMost(1.8)).because("The program is also an HTTP server and client with TLS, which the linker leaves out of the floor. It has Prometheus metrics (whose library includes Protocol Buffers), parses Markdown and contains the sample workspace. The tables below say what each part takes."),
			compared("the same, to the minimal server over HTTP", pair{ours, http}, inMiB, goal{}),
		},
		notes: payers,
	}, err
}
