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
			compared("size of the binary", pair{ours, stdio}, inMiB, goal{}),
			compared("the same, to the minimal server over HTTP", pair{ours, http}, inMiB, ratioAtMost(2.2)).because("Its own packages take most of the difference: tools with types of their own, the stand-in for Outline with its sample, Markdown, login, views. Prometheus metrics and Protocol Buffers, which they need, take 2.3 MB. The tables below say what each part takes."),
		},
		notes: payers,
	}, err
}
