package policy

import "testing"

// TestParse reads stacks: what they are, or the exact error. A stack in which a policy can not be
// reached is refused, one in which it can is not.
func TestParse(t *testing.T) {
	tests := []struct{ name, text, want, err string }{
		{name: "nothing is abort", text: "", want: "abort"},
		{name: "usual order", text: "crmig light(1) autor abort", want: "crmig light autor abort"},
		{name: "abort is implicit", text: "autor", want: "autor abort"},
		{name: "numbers with a blank", text: "light(2, 1) autor", want: "light autor abort"},
		{name: "unknown", text: "autro", err: `unknown policy "autro", did you mean "autor"? ` +
			"Known: crmig, light, sustain, autor, abort"},
		{name: "twice", text: "light(1) light(2) autor", err: "policy light(2): it is there " +
			"twice, with equal priority of its claims: each policy has one place"},
		{name: "hidden", text: "sustain autor", err: "policy autor is behind sustain, which " +
			"claims every fault and does not fail: nothing comes to it"},
		{name: "behind one that defers", text: "sustain(1) autor", want: "sustain autor abort"},
		{name: "reached by a failure", text: "autor sustain", want: "autor sustain abort"},
		{name: "predictions come to it", text: "sustain crmig", want: "sustain crmig abort"},
		{name: "behind abort", text: "abort autor", err: "policy autor is behind abort, which " +
			"ends every stack: nothing comes to it"},
		{name: "predictions behind abort", text: "abort crmig", err: "policy crmig is behind " +
			"abort, which ends every stack: nothing comes to it"},
		{name: "light of none", text: "light(0) autor", err: `policy "light(0)": ranks: want at ` +
			"least 1: with none it would claim nothing"},
		{name: "light of no node", text: "light(1,0)", err: `policy "light(1,0)": nodes: want at ` +
			"least 1"},
		{name: "light of three", text: "light(1,1,1)", err: `policy "light(1,1,1)": want at most ` +
			"two numbers: of ranks, and of nodes"},
		{name: "sustain of none", text: "sustain(-1)", err: `policy "sustain(-1)": ranks: want ` +
			"at least 1: with none it would claim nothing"},
		{name: "sustain of two", text: "sustain(1,2)", err: `policy "sustain(1,2)": want one ` +
			"number, of ranks"},
		{name: "assurance", text: "crmig(101)", err: `policy "crmig(101)": assurance: want ` +
			"percent in [0, 100]"},
		{name: "assurances", text: "crmig(1,1)", err: `policy "crmig(1,1)": want one number, of ` +
			"percent"},
		{name: "no brackets", text: "autor(1)", err: `policy "autor(1)": it has nothing in ` +
			"brackets"},
		{name: "no number", text: "light(one)", err: `policy "light(one)": want numbers in the ` +
			"brackets"},
		{name: "open", text: "light(1", err: `policy "light(1": want a closing bracket at the end`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			stack, err := Parse(tt.text, House())
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.err {
				t.Fatalf("got error  %q\nwant error %q", got, tt.err)
			}
			if err == nil && stack.String() != tt.want {
				t.Errorf("got  %s\nwant %s", stack, tt.want)
			}
		})
	}
}
