package protocol

import "strings"

// Option is what one word KEY=VALUE of the options of a protocol says, for help. What a protocol
// accepts is for its Options to say.
type Option struct {
	Name   string
	Values string // e.g. "apart|next", "N", the first of words is the default
	Doc    string // one line
}

// OptionNames are the keys, for a message about one that nobody knows.
func OptionNames(list []Option) string {
	var names []string
	for _, o := range list {
		names = append(names, o.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
