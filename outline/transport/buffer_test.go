package transport

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"testing"
)

func TestABufferReservesNoMoreThanTheBodyHas(t *testing.T) {
	for _, length := range []int{0, 1, smallestBuffer, smallestBuffer + 1, 200 << 10, 3 << 20} {
		var reserved []int64
		body := io.NopCloser(bytes.NewReader(make([]byte, length)))
		err := new(Buffer).Read(&http.Response{Body: body, ContentLength: -1}, 8<<20, func(n int64) error {
			reserved = append(reserved, n)
			return nil
		})
		if err != nil {
			t.Errorf("%d bytes: %v", length, err)
		}
		if !slices.IsSorted(reserved) || reserved[len(reserved)-1] != int64(length) {
			t.Errorf("%d bytes: reserved %v", length, reserved)
		}
	}
}

// BenchmarkAnswerLimit reads 5 MB, without decoding them, whose time would
// hide that of reading: with the limit, and in the two ways of the standard
// library that know none.
func BenchmarkAnswerLimit(b *testing.B) {
	body := bytes.Repeat([]byte("0123456789"), 500_000)
	// Hides WriteTo, which the body of an answer does not have.
	open := func() io.ReadCloser { return io.NopCloser(struct{ io.Reader }{bytes.NewReader(body)}) }

	b.Run("limited", func(b *testing.B) {
		pool := new(Buffers)
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			buf := pool.Get()
			if err := buf.Read(&http.Response{Body: open(), ContentLength: -1}, 32<<20, nil); err != nil || len(buf.Bytes) != len(body) {
				b.Fatal(len(buf.Bytes), err)
			}
			pool.Put(buf)
		}
	})
	b.Run("io.ReadAll", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			if all, err := io.ReadAll(open()); err != nil || len(all) != len(body) {
				b.Fatal(len(all), err)
			}
		}
	})
	b.Run("reused bytes.Buffer", func(b *testing.B) {
		var buf bytes.Buffer
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			buf.Reset()
			if _, err := buf.ReadFrom(open()); err != nil || buf.Len() != len(body) {
				b.Fatal(buf.Len(), err)
			}
		}
	})
}
