package clustering

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
)

// Weights are alpha and beta as whole numbers over a common scale.
type Weights struct {
	Alpha, Beta int64
	Scale       int64
}

// Published are the weights of [HydEE-fr]: logging everything slows down by 23 %, and recovery
// takes 12.4 % of a day in which all ranks roll back.
var Published = Weights{115, 62, 500}

// decimals is how many digits a weight may have behind the point.
const decimals = 6

// maxWeight bounds a weight: both are shares, or prices of about that size.
const maxWeight = 1000

// ParseWeights reads alpha and beta, decimals that are not negative and not both zero.
func ParseWeights(alpha, beta string) (Weights, error) {
	a, err := parseDecimal(alpha)
	if err != nil {
		return Weights{}, fmt.Errorf("alpha %w", err)
	}
	b, err := parseDecimal(beta)
	if err != nil {
		return Weights{}, fmt.Errorf("beta %w", err)
	}
	if a == 0 && b == 0 {
		return Weights{}, fmt.Errorf(
			"alpha and beta are both 0: every clustering costs the same")
	}
	scale := int64(1e6)
	d := divisor(divisor(a, b), scale)
	return Weights{a / d, b / d, scale / d}, nil
}

// parseDecimal reads a number in millionths.
func parseDecimal(text string) (int64, error) {
	before, behind, _ := strings.Cut(text, ".")
	n, err := strconv.ParseUint(before+behind+strings.Repeat("0", max(0, decimals-len(behind))),
		10, 64)
	switch {
	case err != nil || before == "" || len(behind) > decimals:
		return 0, fmt.Errorf("%q: want a decimal in [0, %d] with at most %d digits behind the "+
			"point", text, maxWeight, decimals)
	case n > maxWeight*1e6:
		return 0, fmt.Errorf("%s: more than %d", text, maxWeight)
	}
	return int64(n), nil
}

// divisor is the greatest common divisor; that of 0 and n is n.
func divisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// tilts is how many steps weights can be tilted either way: beta by 2^-12 to 2^12.
const tilts = 24

// tilted are the weights with beta multiplied by about 2^(halves/2): how a search is made to prefer
// smaller or larger clusters.
func (w Weights) tilted(halves int) Weights {
	halves = max(-tilts, min(tilts, halves))
	up, down := int64(1), int64(1)
	if halves%2 != 0 { // the root of two, about
		up, down = 3, 2
		halves--
	}
	if halves >= 0 {
		up <<= halves / 2
	} else {
		down <<= -halves / 2
	}
	return Weights{max(w.Alpha, 1) * down, max(w.Beta, 1) * up, w.Scale}
}

// tiltBits is how much longer weights are at most that were tilted twice.
const tiltBits = 2 * (tilts/2 + 2)

// fits reports whether costs stay within 126 bits, whatever the clusters and tilts.
func (w Weights) fits(bytes int64, ranks int) bool {
	longest := bits.Len64(uint64(max(w.Alpha, w.Beta))) + tiltBits
	return longest+bits.Len64(uint64(bytes))+2*bits.Len(uint(ranks)) <= 124
}
