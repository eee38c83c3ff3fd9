package mutate_test

import (
	"strings"
	"testing"

	house "github.com/domino-check/domino/impl/protocol/all"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/domino-check/domino/checker/mutate"
	"github.com/domino-check/domino/scenarios"
)

// TestFormat writes the mutants of every protocol as text, and reads that again.
func TestFormat(t *testing.T) {
	for _, p := range house.Protocols() {
		list, err := mutate.Parse("mutants.txt", p.Mutants)
		if err != nil {
			t.Fatal(err)
		}
		text := mutate.Format(list)
		again, err := mutate.Parse("again", text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", p.Name, err, text)
		}
		if diff := cmp.Diff(list, again, cmpopts.IgnoreUnexported(mutate.Mutant{}),
			cmpopts.IgnoreFields(mutate.Mutant{}, "Source")); diff != "" {
			t.Errorf("%s (-text +written and read):\n%s", p.Name, diff)
		}
		for _, line := range strings.Split(text+p.Mutants, "\n") {
			if len(strings.ReplaceAll(line, "\t", "    ")) > 100 {
				t.Errorf("%s: a line of more than 100 columns: %s", p.Name, line)
			}
		}
	}
}

// TestParse reads one text with everything in it: comments, several protocols, words and reasons
// that go on, spaces in the place of tabs.
func TestParse(t *testing.T) {
	got, err := mutate.Parse("m.txt", "# first\n\nlose:  drop   A|B\n\t# inside\n\tat once it "+
		"loses\n\t\tat both ends\n\tat p one\n\tat q two\n\twithin: nobody promised:\n\t  "+
		"anything\nwait: slow image/\n  waits\n  at p one\n")
	want := []mutate.Mutant{
		{Name: "p/lose", Protocol: "p", Doc: "at once it loses at both ends", Scenario: "one",
			Expect: mutate.Within, Why: "nobody promised: anything", Habit: "drop A|B",
			Source: "m.txt:3"},
		{Name: "q/lose", Protocol: "q", Doc: "at once it loses at both ends", Scenario: "two",
			Expect: mutate.Within, Why: "nobody promised: anything", Habit: "drop A|B",
			Source: "m.txt:3"},
		{Name: "p/wait", Protocol: "p", Doc: "waits", Scenario: "one", Expect: mutate.Broken,
			Habit: "slow image/", Source: "m.txt:11"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(mutate.Mutant{})); err != nil ||
		diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestParseErrors breaks the text of a mutant in every way that is refused: the error names the
// line, and what would be right.
func TestParseErrors(t *testing.T) {
	whole := func(habit string) string { return "x: " + habit + "\n\tdoes\n\tat p s\n" }
	for _, tt := range []struct{ text, want string }{
		{whole("dorp A"), `m.txt:1: mutant x: unknown habit "dorp", did you mean "drop"? Known: `},
		{whole(""), "m.txt:1: mutant x: there is no habit; known: drop, "},
		{whole("drop"), `"drop" is not of the form "drop KINDS"`},
		{whole("same-life A"), `is not of the form "same-life"`},
		{whole("reads A"), `is not of the form "reads KINDS FIELD=FIELD..."`},
		{whole("reads A Round=Round Life"), `"Life" is no pair of fields`},
		{whole("writes A Date shfit(1)"), `unknown change "shfit(1)", did you mean "shift(1)"?`},
		{whole("writes A Date shift(one)"), `unknown change "shift(one)"`},
		{whole("writes A Date set(-1)"), `unknown change "set(-1)"`},
		{whole("writes A Date. nothing"), `field "Date.": a word between dots is missing`},
		{whole("after dleivers In nothing"), `unknown event "dleivers", did you mean "delivers"?`},
		{whole("drop-to A middle"), `rank "middle": want first or last`},
		{"x: drop A\n\tdoes\n", "m.txt:1: mutant x: its scenario is missing"},
		{"x: drop A\n\n", "m.txt:1: mutant x: what it does in words is missing"},
		{"x: drop A\n\tat p s\n", "m.txt:2: mutant x: what it does in words is missing"},
		{"x: drop A\n\tdoes\n\tat p\n", `m.txt:3: mutant x: "at p" is not of the form`},
		{whole("drop A") + "\tequivalnt: so\n",
			`m.txt:4: mutant x: unknown status "equivalnt", did you mean "equivalent"?`},
		{whole("drop A") + "\twithin:\n", "m.txt:4: mutant x: the reason why it is within"},
		{whole("drop A") + "\twithin: a\n\twithin: b\n", "m.txt:5: mutant x: it has a status"},
		{whole("drop A") + "\tmore\n", `m.txt:4: mutant x: "more" is no scenario and no status`},
		{whole("drop A") + "\t\tmore\n", `m.txt:4: mutant x: "more" is no scenario and no status`},
		{whole("drop A") + "\twithin: a\n\tat q s\n", `m.txt:5: mutant x: "at q s" is no`},
		{whole("drop A") + whole("drop B"), "m.txt:4: mutant p/x is there twice, see m.txt:1"},
		{"\tdoes\n", `m.txt:1: "does" belongs to no mutant`},
		{"drop A\n", `m.txt:1: "drop A" does not begin a mutant, want NAME: HABIT`},
		{"p/x: drop A\n", "does not begin a mutant"},
	} {
		list, err := mutate.Parse("m.txt", tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %d mutants, %v, want %q", tt.text, len(list), err, tt.want)
		}
	}
}

// TestCollect gives texts of protocols that know nothing of each other: a mutant of a protocol that
// nobody has is refused, and one that two texts have.
func TestCollect(t *testing.T) {
	text := "x: drop A\n\tdoes\n\tat p s\n\tat q s\n"
	list, err := mutate.Collect([]mutate.Text{{"q", "f", text}, {"p", "f", text}})
	if err != nil || len(list) != 2 || list[0].Name != "p/x" || list[1].Name != "q/x" {
		t.Errorf("%v, %v", list, err)
	}
	_, err = mutate.Collect([]mutate.Text{{"p", "f", text}, {"qq", "g", ""}})
	if err == nil || !strings.Contains(err.Error(),
		`f:1: q/x: unknown protocol "q", did you mean`) {
		t.Error(err)
	}
	_, err = mutate.Collect([]mutate.Text{{"p", "f", text}, {"q", "f", text}, {"p", "g", text}})
	if err == nil || !strings.Contains(err.Error(), "g:1: mutant p/x is there twice, see f:1") {
		t.Error(err)
	}
	if _, err = mutate.Collect([]mutate.Text{{"p", "f", "x"}}); err == nil {
		t.Error("a text that is none is taken")
	}
}

// TestImpossible hunts mutants whose text can be read and that can not be at their scenario: an
// error names the line, where a panic of the machine would count as a bug that was found.
func TestImpossible(t *testing.T) {
	all := embedded(t)
	for habit, want := range map[string]string{
		"writes Status Last backwards":          "field Last: a hydee.Date is no list",
		"writes App Payload.Data.lst set(1)":    `"lst" is no place in a list`,
		"believes App Acknowledged Date=Date":   "has no message Acknowledged",
		"believes App Acknowledge Date=Payload": "Date=Payload: a core.Payload can not become",
		"reads App Round=Channels": "Round=Channels: a core.ByRank can not " +
			"become a hydee.Round",
		"ranks Channels.* shift(1)":              "is no number to shift",
		"hears App Round.Number nothing":         `nothing named "Number"`,
		"after delivers Frontier without-last":   "is no list",
		"services Rounds.nobody nothing":         "",
		"writes Nothing Date shift(1)":           "",
		"ranks NothingOfThisName.Field shift(1)": "",
	} {
		list, err := mutate.Parse("m.txt", "x: "+habit+"\n\tdoes\n\tat hydee h8\n")
		if err != nil {
			t.Fatal(err)
		}
		q := question(t, "random")
		q.Scenarios, q.Budget.Schedules = all, 20
		r, err := q.Ask(t.Context(), list[0])
		switch {
		case want == "" && (err != nil || r.Fired != 0):
			t.Errorf("%s: %+v, %v, want no difference", habit, r, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) ||
			!strings.HasPrefix(err.Error(), "m.txt:1: mutant hydee/x: ")):
			t.Errorf("%s: %v, want %q", habit, err, want)
		}
	}
	list, err := mutate.Parse("m.txt", "x: drop App\n\tdoes\n\tat hydee nowhere\n")
	if err != nil {
		t.Fatal(err)
	}
	q := mutate.Question{Scenarios: []*scenarios.Scenario{}}
	if _, err := q.Ask(t.Context(), list[0]); err == nil ||
		!strings.Contains(err.Error(), `m.txt:1: mutant hydee/x: there is no scenario "nowhere"`) {
		t.Error(err)
	}
}

// TestLanguage finds every habit in its explanation.
func TestLanguage(t *testing.T) {
	text := mutate.Language()
	for _, m := range boundary(t) {
		if word, _, _ := strings.Cut(m.Habit, " "); !strings.Contains(text, "\n  "+word+" ") &&
			!strings.HasPrefix(text, "  "+word+" ") {
			t.Errorf("%s: %s is not explained", m.Name, word)
		}
	}
}
