package effort

import "testing"

// TestLevels holds what each value of the variable asks for.
func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		value        string
		of, cases    int
		isLong, most bool
	}{
		{"", 2, 2, false, false},
		{"short", 2, 2, false, false},
		{"long", 5, 5, true, false},
		{"huge", 5, 50, true, true},
	} {
		t.Setenv(Variable, tt.value)
		if of, cases := Of(2, 5), Cases(2, 5); of != tt.of || cases != tt.cases ||
			Long() != tt.isLong || Huge() != tt.most {
			t.Errorf("%q: %d, %d cases, long %t, huge %t", tt.value, of, cases, Long(), Huge())
		}
	}
}

// TestUnknown refuses a value that is misspelt.
func TestUnknown(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a misspelt value is taken")
		}
	}()
	parse("lnog")
}
