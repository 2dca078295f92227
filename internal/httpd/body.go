package httpd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"golang.org/x/sync/semaphore"
)

// bodies reads the bodies of requests. All of them together take a bounded
// amount of memory. It is counted as they arrive: a length that a request only
// announces, or has not sent yet, takes nothing from the others.
type bodies struct {
	most     int64               // bytes of one body
	memory   *semaphore.Weighted // bytes of all bodies
	stopping context.Context     // when it is done, bodies that have not arrived are refused
}

// read returns a request's body and a function that releases its memory. The
// server's read timeout bounds how long a body may take to arrive.
func (b bodies) read(w http.ResponseWriter, r *http.Request) (body []byte, free func(), problem *refusal) {
	tooLarge := &refusal{status: http.StatusRequestEntityTooLarge, reason: reasonSize, close: true,
		message: "the request is larger than the " + strconv.FormatInt(b.most, 10) + " bytes that this server takes; send less at a time"}
	if r.ContentLength > b.most {
		return nil, nil, tooLarge
	}
	defer context.AfterFunc(b.stopping, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) })()
	var buffer bytes.Buffer
	held := int64(0)
	free = func() { b.memory.Release(held) }
	source := http.MaxBytesReader(w, r.Body, b.most)
	for piece := int64(4 << 10); ; piece = 64 << 10 {
		if !b.memory.TryAcquire(piece) {
			free()
			return nil, nil, &refusal{status: http.StatusServiceUnavailable, reason: reasonBusy, retry: 1, close: true,
				message: "the server is busy with as much as it takes at a time; try again shortly"}
		}
		held += piece
		_, err := io.CopyN(&buffer, source, piece)
		switch {
		case err == io.EOF:
			return buffer.Bytes(), free, nil
		case err != nil:
			free()
			return nil, nil, b.broken(err, tooLarge)
		}
	}
}

// broken returns the refusal of a body that did not arrive.
func (b bodies) broken(err error, tooLarge *refusal) *refusal {
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return tooLarge
	case b.stopping.Err() != nil:
		return stoppingRefusal()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &refusal{status: http.StatusRequestTimeout, reason: reasonBody, close: true, message: "the request did not arrive completely in time; send it again"}
	}
	return &refusal{status: http.StatusBadRequest, reason: reasonBody, close: true, message: "the request did not arrive completely; send it again"}
}
