package main

import (
	"math"
	"testing"
)

func TestARatioIsTheMedianOfPairs(t *testing.T) {
	var p pair
	for _, measured := range [][2]float64{{2, 1}, {30, 10}, {8, 2}} { // the second pair was slow for both
		p.add(measured[0], measured[1])
	}
	if got := p.ratio(); got != 3 {
		t.Errorf("the ratio is %v", got)
	}
	if got := p.difference(); got != 6 {
		t.Errorf("the difference is %v", got)
	}
}

func TestAMedianIsInTheMiddle(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{9, 1, 2, 4}, 3}} {
		if got := median(test.values); got != test.want {
			t.Errorf("the median of %v is %v", test.values, got)
		}
	}
}

func TestASlopeIsThePowerOfTheSize(t *testing.T) {
	for _, power := range []float64{0, 0.5, 1, 2} {
		var points []point
		for _, size := range []float64{1, 10, 50, 1000} {
			points = append(points, point{size, 7 * math.Pow(size, power)})
		}
		if got := slope(points); math.Abs(got-power) > 1e-9 {
			t.Errorf("of power %v the slope is %v", power, got)
		}
	}
}

func TestAGoalIsJudged(t *testing.T) {
	for _, test := range []struct {
		goal   goal
		judged float64
		want   string
	}{
		{goal{}, 9, ""},
		{ratioAtMost(2), 2, "met"},
		{ratioAtMost(2), 3, "missed by 50 %"},
		{ratioAtLeast(0.8), 0.9, "met"},
		{ratioAtLeast(0.8), 0.6, "missed by 25 %"},
		{atMost(0, plain), 0, "met"},
		{atMost(0, plain), 3, "missed by 3"},
	} {
		if got := (row{goal: test.goal, judged: test.judged}).verdict(); got != test.want {
			t.Errorf("%v against %s is %q, not %q", test.judged, test.goal, got, test.want)
		}
	}
}

func TestValuesAreWrittenForPeople(t *testing.T) {
	for _, test := range []struct {
		unit  unit
		value float64
		want  string
	}{
		{inSeconds, 0.000_25, "250 µs"},
		{inSeconds, 0.0123, "12.3 ms"},
		{inSeconds, 1.254, "1.25 s"},
		{inBytes, 1_234_567, "1,234,567 bytes"},
		{plain, -1234, "-1,234"},
		{plain, 999, "999"},
		{ratios, 1.8, "1.80×"},
		{perSecond, 10_000, "10,000 /s"},
	} {
		if got := test.unit.format(test.value); got != test.want {
			t.Errorf("%v %s is written %q, not %q", test.value, test.unit, got, test.want)
		}
	}
}

func TestASymbolBelongsToItsModule(t *testing.T) {
	for symbol, want := range map[string]string{
		"main.main":                     "main",
		"net/http.(*conn).serve":        "standard library",
		"crypto/internal/fips140/aes.x": "standard library",
		"github.com/mark3labs/mcp-go/server.(*MCPServer).HandleMessage":            "github.com/mark3labs/mcp-go",
		"outline-mcp/internal/mcptool.Spec[go.shape.struct { A net/url.URL }].Run": "outline-mcp/internal/mcptool",
		"vendor/golang.org/x/net/idna.ToASCII":                                     "standard library",
		"golang.org/x/net/idna.ToASCII":                                            "golang.org/x/net",
		"type:.eq.net/netip.Addr":                                                  "standard library",
		"google.golang.org/protobuf/proto.Marshal":                                 "google.golang.org/protobuf",
		"type:*": merged,
		"go:itab.*github.com/spf13/pflag.stringValue,github.com/spf13/pflag.Value": merged,
	} {
		if got := moduleOf(symbol); got != want {
			t.Errorf("%s belongs to %q, not to %q", symbol, got, want)
		}
	}
}
