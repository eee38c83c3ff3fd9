package figures

import (
	"math"
	"time"
)

// The formula T = n c + V/B, in seconds for n files of V megabytes together, fits all 12 rows of
// Table I within 17 %, with these prices a file and rates, where nothing is packed. The paper
// prints neither formula nor prices.
const (
	centralFile, centralRate = 0.131, 76.0
	stageFile, stageRate     = 0.062, 63.0
)

// fitted is a pair of price and rate.
type fitted struct{ file, rate float64 }

// The fits.
var (
	fitCentral = fitted{centralFile, centralRate}
	fitStage   = fitted{stageFile, stageRate}
)

// seconds is the formula.
func (f fitted) seconds(files int, megabytes float64) float64 {
	return float64(files)*f.file + megabytes/f.rate
}

// crossing is the size of an image, in megabytes, from which staging takes longer than the store
// alone.
func crossing() float64 {
	return (centralFile - stageFile) / (1/stageRate - 1/centralRate)
}

// young is the interval between snapshots that costs least, in seconds, by the formula of Young:
// with a price each, and so many seconds between failures.
func young(price time.Duration, mtbf float64) float64 {
	return math.Sqrt(2 * price.Seconds() * mtbf)
}
