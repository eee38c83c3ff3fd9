package scenarios

import (
	"fmt"
	"strings"
)

// ReadClusters reads "a | b c | d": every rank exactly once. "r3-r9" are all from r3 to r9, in the
// order of names. Empty text puts every rank into a cluster of its own.
func ReadClusters(text string, names []string) ([]int, error) {
	of := make([]int, len(names))
	if text == "" {
		for r := range of {
			of[r] = r
		}
		return of, nil
	}
	at := make(map[string]int, len(names))
	for r, n := range names {
		at[n], of[r] = r, -1
	}
	for k, part := range strings.Split(text, "|") {
		words := strings.Fields(part)
		if len(words) == 0 {
			return nil, fmt.Errorf("cluster %d of %q is empty", k+1, text)
		}
		for _, word := range words {
			first, last, err := stretch(word, at, names)
			if err != nil {
				return nil, err
			}
			for r := first; r <= last; r++ {
				if of[r] >= 0 {
					return nil, fmt.Errorf("rank %s is in two clusters, or twice in one", names[r])
				}
				of[r] = k
			}
		}
	}
	for r, n := range names {
		if of[r] < 0 {
			return nil, fmt.Errorf("rank %s is in no cluster", n)
		}
	}
	return of, nil
}

// stretch reads the name of a rank, or those of the first and the last of a stretch.
func stretch(word string, at map[string]int, names []string) (first, last int, err error) {
	if r, ok := at[word]; ok {
		return r, r, nil
	}
	// names may have a dash in them, too
	for i := range len(word) {
		if word[i] != '-' {
			continue
		}
		first, ok := at[word[:i]]
		last, also := at[word[i+1:]]
		switch {
		case !ok || !also:
		case last < first:
			return 0, 0, fmt.Errorf("%s: %s comes behind %s", word, word[:i], word[i+1:])
		default:
			return first, last, nil
		}
	}
	return 0, 0, fmt.Errorf("rank %s does not exist, there are %s", word, some(names))
}

// some are the names in a message that somebody reads.
func some(names []string) string {
	const most = 32
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s to %s, %d in all", names[0], names[len(names)-1], len(names))
}

// FormatClusters writes clusters as ReadClusters takes them: of a rank, the number of its cluster,
// below the number of clusters, and its name. Three ranks or more in a row are a stretch if their
// names are numbered: "r3-r9", but "x y c".
func FormatClusters(of []int, name func(rank int) string) string {
	var parts [][]string
	for r := 0; r < len(of); {
		end, first := r+1, name(r)
		for end < len(of) && of[end] == of[r] {
			end++
		}
		for len(parts) <= of[r] {
			parts = append(parts, nil)
		}
		p := &parts[of[r]]
		if end-r > 2 && strings.ContainsRune("0123456789", rune(first[len(first)-1])) {
			*p = append(*p, first+"-"+name(end-1))
		} else {
			for i := r; i < end; i++ {
				*p = append(*p, name(i))
			}
		}
		r = end
	}
	texts := make([]string, len(parts))
	for k, words := range parts {
		texts[k] = strings.Join(words, " ")
	}
	return strings.Join(texts, " | ")
}
