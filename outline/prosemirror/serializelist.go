package prosemirror

import (
	"strconv"
	"strings"
)

// list writes the items of a list. In a table they are on one line.
func (s *serializer) list(n *Node, indent string, marker func(index int) string) {
	if s.inTable {
		for i, item := range n.Content {
			if i > 0 {
				s.append(" <br> ")
			}
			s.append(trimSpace(marker(i)) + " ")
			s.block(item)
		}
		return
	}
	if s.closed != nil && s.closed.Type == n.Type {
		s.separate(3)
	} else if s.inTightList {
		s.separate(1)
	}
	oldList, oldTight := s.inList, s.inTightList
	s.inList, s.inTightList = true, true
	for i, item := range n.Content {
		if i > 0 {
			s.separate(1)
		}
		s.wrap(indent, marker(i), n, func() { s.block(item) })
	}
	s.inList, s.inTightList = oldList, oldTight
}

func (s *serializer) orderedList(n *Node) {
	s.write("\n")
	start := 1
	if order, ok := n.Attrs.Get("order"); ok {
		number, _ := order.(float64)
		start = int(number)
	}
	first := byte(0)
	switch n.Attrs.String("listStyle") {
	case "lower-alpha":
		first = 'a'
	case "upper-alpha":
		first = 'A'
	}
	if first != 0 {
		s.list(n, "    ", func(i int) string { return letters(start+i, first) + ". " })
		return
	}
	width := len(strconv.Itoa(start + len(n.Content) - 1))
	s.list(n, strings.Repeat(" ", width+2), func(i int) string {
		number := strconv.Itoa(start + i)
		return strings.Repeat(" ", max(0, width-len(number))) + number + ". "
	})
}

// letters counts a, b, … z, aa, ab.
func letters(n int, first byte) string {
	out := ""
	for n--; ; n = n/26 - 1 {
		out = string(first+byte((n%26+26)%26)) + out
		if n < 26 {
			return out
		}
	}
}

func (s *serializer) listItem(n *Node) {
	if n.Type == CheckboxItem {
		mark := "[ ] "
		if checked, _ := n.Attrs.Get("checked"); checked == true {
			mark = "[x] "
		}
		s.append(mark)
	}
	if !s.inTable {
		s.blocks(n)
		return
	}
	for i, child := range n.Content {
		if i > 0 {
			s.append(" ")
		}
		s.inline(child)
	}
}
