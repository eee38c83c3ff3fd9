package help

import (
	"regexp"
	"slices"
	"strings"
)

// Paper is what a key in brackets stands for.
type Paper struct{ Key, Title string }

// Papers are all that the topic references names, in its order.
func Papers() (list []Paper) {
	t, err := Find("references")
	if err != nil {
		panic(err) // it is one of order
	}
	for line := range strings.Lines(t.text) {
		key, title, begins := strings.Cut(strings.TrimPrefix(line, "["), "] ")
		switch {
		case begins && strings.HasPrefix(line, "["):
			list = append(list, Paper{key, strings.TrimSpace(title)})
		case strings.HasPrefix(line, " ") && len(list) > 0:
			list[len(list)-1].Title += " " + strings.TrimSpace(line)
		}
	}
	return list
}

// keys are the keys in a text.
var keys = regexp.MustCompile(`\[([^][ ]+)\]`)

// Cited are the papers whose keys are in any of the texts. A key that nobody knows is left out.
func Cited(texts ...string) (list []Paper) {
	found := keys.FindAllStringSubmatch(strings.Join(texts, "\n"), -1)
	for _, p := range Papers() {
		if slices.ContainsFunc(found, func(m []string) bool { return m[1] == p.Key }) {
			list = append(list, p)
		}
	}
	return list
}
