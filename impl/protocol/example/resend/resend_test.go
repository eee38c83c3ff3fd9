package resend_test

import (
	"testing"

	"example.com/resend"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/fuzz"
)

// TestScenarios explores every scenario and compares with what it expects.
func TestScenarios(t *testing.T) { verify.Test(t, "scenarios/*.txtar", resend.Protocol) }

// TestRandom explores small programs exhaustively, and draws random ones.
func TestRandom(t *testing.T) { fuzz.Test(t, resend.Protocol) }

// FuzzRandom is the same for go test -fuzz=FuzzRandom -fuzzminimizetime 1x.
func FuzzRandom(f *testing.F) { fuzz.Fuzz(f, resend.Protocol) }
