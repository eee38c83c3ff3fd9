package papers

import (
	"context"
	"fmt"
	"math"
	"time"
)

// StagesPlan is a kernel under a protocol of RADIC, on nodes of two ranks behind cards of 1 Gb/s
// and with a spare, in modelled time. Each rank takes one checkpoint, and the last node fails.
type StagesPlan struct {
	Kernel, Protocol, Options string
	Ranks                     int
	Work                      time.Duration // of a rank in an iteration
	Image                     int64         // bytes of the image of a rank
	Wait                      time.Duration // until the node fails, when its images are stored
}

// Stages is where the time goes in such a run, in seconds, and all of it.
type Stages struct {
	Before, Making, Storing, Waiting float64 // until images are begun, made, stored; the failure
	Finding, Starting                float64 // until a node is found, and ranks run there
	Fetching, Loading, Consuming     float64 // until images are there, loaded, and all as before
	After                            float64 // until the end
	Total                            float64
	Protecting                       float64 // of After, until all are protected again
}

// sum is all that follows each other.
func (s *Stages) sum() float64 {
	return s.Before + s.Making + s.Storing + s.Waiting + s.Finding + s.Starting + s.Fetching +
		s.Loading + s.Consuming + s.After
}

// rows are the rows of Fig 6.5. What it takes to find a node has none.
func (s *Stages) rows() map[string]float64 {
	return map[string]float64{preCheckpoint: s.Before, stages[1]: s.Making, storing: s.Storing,
		stages[3]: s.Waiting, toSpare: s.Fetching, restarting: s.Starting + s.Loading,
		consuming: s.Consuming, stages[7]: s.After}
}

// stagesKernels are the programs of the models of Fig 6.5: with few iterations, and one checkpoint
// behind 20 of them.
var stagesKernels = map[string]string{"LU": "lu n=12 iterations=30 checkpoint=20",
	"CG": "cg inner=2 iterations=39 checkpoint=20"}

// mebi is how many bytes the MB of Fig 6.5 has, whose logs have whole numbers of 1,024 KB.
const mebi = 1 << 20

// staged runs the model of a column of Fig 6.5: with the size of its images and its time to the
// failure, and everything else ours.
func (b *Bench) staged(ctx context.Context, values sheet, bench, technique string) (*Stages,
	error) {
	if b.Stages == nil {
		return nil, fmt.Errorf("runs in modelled time: %w", ErrAbsent)
	}
	protocol := "radic-" + receiverBased
	if technique == hybrid {
		protocol = "radic-" + hybridLogging
	}
	column := bench + technique
	return b.Stages(ctx, StagesPlan{Kernel: stagesKernels[bench[:2]], Protocol: protocol,
		Options: "nodes=8 spares=1", Ranks: modelRanks, Work: 300 * time.Millisecond,
		Image: int64(values.number(checkpointSize, column) * mebi),
		Wait:  time.Duration(values.number(stages[3], column) * 1e9)})
}

// asCard is by how much the growth of a transfer in the model may be off that of Fig 6.5, as a
// share of that: frames and headers of TCP take 5 % of a card, and the times are rounded.
const asCard = .15

// byStages makes the cells of Fig 6.5 that stages have, each beside the printed one, and what the
// model shows: that its stages add up, and that a larger image takes longer by as much.
func byStages(ctx context.Context, b *Bench, values sheet, adds, grows Value) ([]Got, error) {
	var got []Got
	sums, later := true, ""
	models := map[string]*Stages{}
	for _, bench := range radicBenches {
		for _, technique := range []string{receiver, hybrid} {
			s, err := b.staged(ctx, values, bench, technique)
			if err != nil {
				return nil, err
			}
			column := bench + technique
			models[column] = s
			for _, stage := range stages {
				got = append(got, Got{Row: stage, Name: column, Status: NotHere,
					Number: s.rows()[stage], Why: stageWords[stage]})
			}
			sums = sums && math.Abs(s.sum()-s.Total) < 1e-9
			later += fmt.Sprintf("%s: until a node is found %.1f s, and protected again %.1f s "+
				"behind the log, which no row has; ", column, s.Finding, s.Protecting)
		}
	}
	got = append(got, Got{Row: adds.Row, Name: adds.Name, Text: word(sums), Why: later + priced})
	return append(got, growth(values, models, grows)), nil
}

// growth compares what the larger class of a benchmark takes longer to store, and to bring to the
// spare, where its log is not much: that of LU.
func growth(values sheet, models map[string]*Stages, v Value) Got {
	holds, notes := true, ""
	for _, pair := range [][2]string{{"LU.B", "LU.C"}, {"CG.B", "CG.C"}} {
		for _, technique := range []string{receiver, hybrid} {
			small, large := pair[0]+technique, pair[1]+technique
			for _, row := range []string{storing, toSpare} {
				if row == toSpare && pair[0] == "CG.B" {
					continue
				}
				printed := values.number(row, large) - values.number(row, small)
				ours := models[large].rows()[row] - models[small].rows()[row]
				holds = holds && math.Abs(ours/printed-1) <= asCard
				notes += fmt.Sprintf("%s from %s to %s: %.2f s, printed %.2f s; ", row, small,
					large, ours, printed)
			}
		}
	}
	return Got{Row: v.Row, Name: v.Name, Text: word(holds), Why: notes + "the rest of what is " +
		"printed, .8 and 1.7 s, has one value for all sizes; two ranks on a node, MB of 2^20 bytes"}
}

// stageWords say why a modelled stage is no value to meet.
var stageWords = func() map[string]string {
	const ours = "modelled, beside " + absolute
	words := map[string]string{}
	for _, stage := range stages {
		words[stage] = ours
	}
	for _, stage := range []string{preCheckpoint, consuming, stages[7]} {
		words[stage] += ": small numbers of iterations, of which each computes for .3 s"
	}
	words[stages[1]] += ": a copy in memory; BLCR writes a file to a disk whose rate is not printed"
	words[stages[3]] += ": as printed, by construction"
	words[restarting] += ": a restart of 2 s is assumed, and the image copied into memory"
	words[consuming] += "; under RBML a rank stands still until its image is stored, as what it " +
		"logs goes behind that, and so has less to do again"
	words[storing] += ": two images over a card of 1 Gb/s, without files"
	words[toSpare] += ": two images over a card of 1 Gb/s, without files, and a log of nearly " +
		"nothing"
	return words
}()
