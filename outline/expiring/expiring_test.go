package expiring_test

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/outline/expiring"
)

func TestAnEntryLastsAsLongAsItWasSetFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m expiring.Map[string, int]
		m.Set("renewed", 3, time.Second)
		m.Set("short", 1, time.Second)
		m.Set("long", 2, time.Minute)
		m.Set("renewed", 4, time.Minute)
		m.Set("deleted", 5, time.Minute)
		m.Delete("deleted")
		m.Delete("never there")
		time.Sleep(time.Second - 1)
		if value, ok := m.Get("short"); value != 1 || !ok || m.Len() != 3 {
			t.Errorf("just before its end, short is %d, %v, among %d", value, ok, m.Len())
		}
		time.Sleep(time.Nanosecond)
		if value, ok := m.Get("short"); value != 0 || ok || m.Len() != 2 {
			t.Errorf("at its end, short is %d, %v, among %d", value, ok, m.Len())
		}
		for key, want := range map[string]int{"long": 2, "renewed": 4} {
			if value, ok := m.Get(key); value != want || !ok {
				t.Errorf("%s is %d, %v", key, value, ok)
			}
		}
		time.Sleep(time.Minute)
		if m.Len() != 0 {
			t.Errorf("%d are left", m.Len())
		}
	})
}

func TestAFullMapForgetsWhatExpiresFirst(t *testing.T) {
	m := expiring.Map[int, string]{Most: 3}
	for key, minutes := range []time.Duration{9, 2, 5, 7, 1} {
		m.Set(key, "", minutes*time.Minute)
	}
	for key, want := range []bool{true, false, false, true, true} {
		if _, ok := m.Get(key); ok != want {
			t.Errorf("%d is there: %v", key, ok)
		}
	}
	m.Set(0, "again", time.Minute)
	if _, ok := m.Get(3); !ok || m.Len() != 3 {
		t.Error("setting a key again has removed another")
	}
}

func TestAMapHoldsAThousandEntriesUnlessToldOtherwise(t *testing.T) {
	var m expiring.Map[int, int]
	for key := range 5000 {
		m.Set(key, key, time.Hour)
	}
	if m.Len() > 1024 || m.Len() < 900 {
		t.Errorf("it holds %d", m.Len())
	}
	if _, ok := m.Get(4999); !ok {
		t.Error("it has forgotten the last one")
	}
}

func TestUpdateSeesThePresentValue(t *testing.T) {
	var m expiring.Map[string, int]
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			m.Update("sum", func(sum int) (int, time.Duration) { return sum + 1, time.Hour })
			m.Set(strconv.Itoa(i), i, time.Hour)
		})
	}
	all.Wait()
	if sum, _ := m.Get("sum"); sum != 100 {
		t.Errorf("the sum is %d", sum)
	}
	m.DeleteFunc(func(key string, value int) bool { return key != "sum" && value >= 10 })
	if m.Len() != 11 {
		t.Errorf("%d are left", m.Len())
	}
}
