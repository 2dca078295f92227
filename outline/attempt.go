package outline

import "time"

// Attempt is one request to Outline.
type Attempt struct {
	Endpoint string        // e.g. documents.info
	Status   int           // HTTP status of the answer; 0: there was none, or not all of it
	Duration time.Duration // of the attempt, its answer included
	Retry    bool          // it repeats one that failed
	Waited   time.Duration // for a rate limit, before it
}
