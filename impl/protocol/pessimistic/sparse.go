package pessimistic

import "github.com/domino-check/domino/impl/core"

// With more ranks than a core.ByRank has an entry for each, an image names those that it is about.

// sparse reports whether channels are kept only with those that a rank communicates with.
func (c *config) sparse() bool { return c.ranks > core.Dense && !c.Semi }

// named is the rank at a place of an image.
func named(ranks []core.Rank, place int) core.Rank {
	if ranks == nil {
		return core.Rank(place)
	}
	return ranks[place]
}

// about is an image with the ranks that it is about.
type about[T any] struct {
	_     struct{} `cbor:",toarray"`
	Ranks []core.Rank
	Image T
}

// encoded writes an image.
func encoded[T any](c *config, image *T, ranks []core.Rank) []byte {
	if c.sparse() {
		return core.Encode(&about[*T]{Ranks: ranks, Image: image})
	}
	return core.Encode(image)
}

// decoded reads an image.
func decoded[T any](c *config, bytes []byte, image *T, ranks *[]core.Rank) error {
	if !c.sparse() {
		return core.Decode(bytes, image)
	}
	var all about[T]
	err := core.Decode(bytes, &all)
	*image = all.Image
	*ranks = all.Ranks
	return err
}

// encoded writes an image of the rank.
func (l *layer) encoded(i *image) []byte { return encoded(l.config, i, i.Ranks) }
