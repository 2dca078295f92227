package outline

import "time"

// An Attempt describes one request to Outline.
type Attempt struct {
	Endpoint string        // e.g. documents.info
	Status   int           // HTTP status of the answer, 0 if it did not arrive completely
	Duration time.Duration // including the answer
	Retry    bool          // whether it repeats an attempt that failed
	Waited   time.Duration // how long it had to wait for a rate limit
}
