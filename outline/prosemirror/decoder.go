package prosemirror

import (
	"hash/maphash"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// A Decoder reads several states of a document, such as those before and after
// a write. A top-level block whose JSON it has read before becomes the same
// node, with few exceptions, so that comparing the states only visits what
// changed. The zero value is ready to use.
type Decoder struct {
	seeds  [2]maphash.Seed
	blocks []knownBlock
	older  int // how many of them are of states read before
	next   int // the one that is likely to come next
	missed int // how many were not there

	places map[blockHash]int32 // of the blocks, once two were missed

	in      jsontext.Decoder // of one block
	lenient jsontext.Options
	nodes   []Node  // memory for nodes
	open    []*Node // content of the nodes that are being read

	// By their JSON:
	names    map[string]string
	attrSets map[string]Attrs
	markSets map[string][]Mark
}

type knownBlock struct {
	hash blockHash
	node *Node
}

// blockHash represents the JSON of a block, which is several times as long as
// the block. The seeds are random, so that nobody can construct two blocks with
// the same 128 bits.
type blockHash [2]uint64

func (d *Decoder) hash(source []byte) blockHash {
	return blockHash{maphash.Bytes(d.seeds[0], source), maphash.Bytes(d.seeds[1], source)}
}

// start prepares for the next state.
func (d *Decoder) start() {
	if d.names == nil {
		d.seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}
		d.names, d.attrSets, d.markSets = map[string]string{}, map[string]Attrs{}, map[string][]Mark{}
	}
	d.lenient = lenient()
	d.next, d.missed, d.older = 0, 0, len(d.blocks)
}

// find returns the block that was read from the same JSON, or nil if there is
// none.
func (d *Decoder) find(hash blockHash) *Node {
	if d.older == 0 {
		return nil
	}
	// Most states have the same blocks in the same order.
	const ahead = 4
	for at := d.next; at < min(d.next+ahead, len(d.blocks)); at++ {
		if d.blocks[at].hash == hash {
			d.next = at + 1
			return d.blocks[at].node
		}
	}
	if d.missed++; d.missed == 1 {
		return nil // probably the only block that changed
	}
	if d.places == nil {
		d.places = make(map[blockHash]int32, len(d.blocks))
		for i, block := range d.blocks {
			d.places[block.hash] = int32(i)
		}
	}
	at, ok := d.places[hash]
	if !ok {
		return nil
	}
	d.next = int(at) + 1
	return d.blocks[at].node
}

func (d *Decoder) add(hash blockHash, node *Node) {
	if d.places != nil {
		d.places[hash] = int32(len(d.blocks))
	}
	if len(d.blocks) == cap(d.blocks) {
		d.blocks = slices.Grow(d.blocks, max(64, len(d.blocks)))
	}
	d.blocks = append(d.blocks, knownBlock{hash, node})
}
