package snapshot

import "fmt"

// Style is how a checkpoint deals with what is on its way when it begins.
type Style uint8

// The styles.
const (
	// Blocking: nothing is sent inside the group from the beginning of a checkpoint to its commit,
	// so once the markers are here, channels are empty; then the image is taken (Tamir and Sequin).
	Blocking Style = iota
	// Markers: everybody goes on, the image is taken at once, and what was on its way is put into
	// it (Chandy and Lamport).
	Markers
)

// Styles are the words for them, the default of a protocol that has the choice first.
const Styles = "blocking|markers"

// String is the word.
func (s Style) String() string { return [...]string{"blocking", "markers"}[s] }

// Set reads the word: the setter of a protocol's option.
func (s *Style) Set(word string) error {
	for _, style := range []Style{Blocking, Markers} {
		if word == style.String() {
			*s = style
			return nil
		}
	}
	return fmt.Errorf("want one of %v, %v", Blocking, Markers)
}

// Styled is a Member that has the choice. The others use markers.
type Styled interface {
	Style() Style
}

// styleOf is the style of a member.
func styleOf(m any) Style {
	if styled, ok := m.(Styled); ok {
		return styled.Style()
	}
	return Markers
}

// Blocks reports whether the member must not send to others of its group now. A Layer asks it in
// Ready:
//
//	func (l *layer) Ready(to core.Rank) bool { return !l.same(to) || !l.s.Saving.Blocks(l) }
//
// Sends that leave the group may go on: whatever makes those of before and behind an image differ
// for the ranks outside, their logs or their indices, is the business of the protocol. That every
// send waits is right, too, and simpler to think about, but the programs of other groups wait then
// as well.
//
// It blocks until the commit record is stable and not only until our own image is: another member
// that still waits for markers would receive what we send before it has taken its image, and that
// would hold a message that ours has not sent.
func (s *State[I, M]) Blocks(m Member[I, M]) bool {
	return s.Taking && styleOf(m) == Blocking
}
