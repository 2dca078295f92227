package outline

import (
	"bytes"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxValues limits the values of an answer before it is decoded: an empty object becomes
// a structure of some hundred bytes. Values outside of the trees of documents count twice.
// The list of 25,000 documents of a collection, and a document of 100,000 words, of which
// half are emphasized, still fit.
const maxValues = 500_000

// perValue is how many bytes a value takes, in addition to those of the answer, as one of
// the largeAnswers.
const perValue = 16

// countValues estimates the values in JSON, which need not be valid. It allocates nothing.
func countValues(body []byte) (values int, problem string) {
	depth, tree := 0, math.MaxInt // tree is the depth of the member that holds the tree
	for i := 0; i < len(body); i++ {
		switch body[i] {
		case '"':
			name := i + 1
			for i = name; i < len(body) && body[i] != '"'; i++ {
				if body[i] == '\\' {
					i++
				}
			}
			if depth > 1 && depth < tree && bytes.HasPrefix(body[name:], []byte(`data":{`)) {
				tree = depth
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= tree {
				tree = math.MaxInt
			}
			continue
		case ',':
			if depth <= tree {
				tree = math.MaxInt
			}
		default:
			continue
		}
		values++
		if depth <= tree {
			values++
		}
		if values > maxValues {
			return values, fmt.Sprintf("the answer has more than %d values", maxValues/2)
		}
	}
	return values, ""
}

// maxItems is how many items of a page are read. Outline sends at most maxPage.
const maxItems = 10 * maxPage

// items are those of a page. A longer list is not decoded to its end.
type items[T any] []T

// UnmarshalJSONFrom implements [json.UnmarshalerFrom].
func (s *items[T]) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	if in.PeekKind() != '[' {
		return json.UnmarshalDecode(in, (*[]T)(s)) // says what is wrong
	}
	if _, err := in.ReadToken(); err != nil {
		return err
	}
	for *s = []T{}; in.PeekKind() != ']'; {
		if len(*s) == maxItems {
			return errTooManyItems
		}
		var item T
		if err := json.UnmarshalDecode(in, &item); err != nil {
			return err
		}
		*s = append(*s, item)
	}
	_, err := in.ReadToken()
	return err
}

var errTooManyItems = fmt.Errorf("a page has more than %d items", maxItems)
