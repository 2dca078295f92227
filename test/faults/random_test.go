package faults

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
)

var (
	mixtures = flag.Int("mixtures", 1400, "how many mixtures of faults are tried")
	seed     = flag.Uint64("seed", 0, "of the only mixture to try; 0: all of them")
)

// A setting is a possible configuration of a server and the Outline behind it.
type setting struct {
	name      string
	variables []string
	version   version
}

func settings() []setting {
	return []setting{
		{"as it comes", nil, version{}},
		{"as it comes, with a moment between publishing and its end", nil, of("").busied()},
		{"without repetition", []string{"OUTLINE_MAX_RETRIES=0"}, version{}},
		{"in a hurry", []string{"OUTLINE_CALL_TIMEOUT=8s", "OUTLINE_REQUEST_TIMEOUT=3s", "OUTLINE_MAX_RETRIES=1", "OUTLINE_BATCH_CONCURRENCY=1"}, version{}},
		{"stubborn", []string{"OUTLINE_CALL_TIMEOUT=10m", "OUTLINE_MAX_RETRIES=10", "OUTLINE_MAX_RETRY_WAIT=1h", "OUTLINE_BATCH_CONCURRENCY=16"}, version{}},
		{"Outline 1.9.2", nil, of("1.9.2")},
		{"Outline 1.7", nil, of("1.7")},
		{"Outline 1.5, which has no patches", nil, of("1.5")},
	}
}

// mixture returns a plan that breaks requests at random: each with the same
// probability, or all from a certain one on.
func mixture(random *rand.Rand) func(*exchange) *fault {
	all := faults()
	chance := []float64{0.1, 0.3, 0.5, 0.8}[random.IntN(4)]
	var staying *fault
	from := -1
	if random.IntN(6) == 0 {
		from = random.IntN(6)
		for staying == nil || !staying.stays {
			staying = all[random.IntN(len(all))]
		}
	}
	n := 0
	return func(x *exchange) *fault {
		n++
		if staying != nil && n > from {
			return staying
		}
		if random.Float64() >= chance {
			return nil
		}
		f := all[random.IntN(len(all))]
		if !x.writes && !f.stays {
			return nil
		}
		return f
	}
}

func TestNoMixtureOfFaultsMakesAnAnswerUntrue(t *testing.T) {
	for i, s := range settings() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, s.variables...)
				models := map[string]run{}
				list := writesOn(s.version)
				for n := range uint64(*mixtures / len(settings())) {
					number := 1 + n*uint64(len(settings())) + uint64(i)
					if *seed != 0 && number != *seed {
						continue
					}
					random := rand.New(rand.NewPCG(number, 0x66617561))
					w := list[random.IntN(len(list))]
					if _, known := models[w.name]; !known {
						models[w.name] = b.model(t, s.version, w)
					}
					r := b.do(t.Context(), s.version, w, mixture(random))
					if _, wrong := judge(models[w.name], r); wrong != "" {
						t.Errorf("%s\n%s\nTo see it alone: go test -run '%s' -seed %d", wrong, r.report(), "NoMixture", number)
					}
				}
				if *seed == 0 && len(models) < len(list)/2 {
					t.Error(fmt.Sprint("only ", len(models), " kinds of writes were tried"))
				}
			})
		})
	}
}
