package figures

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/errmgr/sstore"
)

// packing is what a codec makes of an image.
type packing struct {
	Codec        sstore.Codec
	Saved        float64 // of the bytes, in [0, 1]
	Pack, Unpack float64 // MB a second of one process, sums included
}

// noises are the shares of noise in the images, so that gzip saves about what it does in the
// source: of noop 92 %, POP 85 %, LAMMPS 64 %, HPL 4 %.
var noises = [...]float64{0.075, 0.145, 0.355, 0.96}

// packings were measured by measurePackings, for each of noises, on one core of a server with other
// work on it (AMD EPYC, November 2026, klauspost/compress 1.18).
var packings = [len(noises)][]packing{
	{{sstore.Gzip, 0.916, 575, 646}, {sstore.Zstd, 0.923, 1039, 1151},
		{sstore.S2, 0.915, 1158, 866}},
	{{sstore.Gzip, 0.837, 488, 570}, {sstore.Zstd, 0.844, 811, 608}, {sstore.S2, 0.836, 1175, 839}},
	{{sstore.Gzip, 0.632, 355, 346}, {sstore.Zstd, 0.638, 480, 625}, {sstore.S2, 0.631, 1022, 667}},
	{{sstore.Gzip, 0.024, 295, 361}, {sstore.Zstd, 0.040, 270, 727}, {sstore.S2, 0.034, 795, 706}},
}

// image is so many bytes, always the same: pages of noise, and pages of numbers of which most are
// zero and the others small.
func image(noise float64, size int) []byte {
	const page = 4096
	rng := rand.New(rand.NewPCG(7, uint64(noise*1000)))
	b := make([]byte, size)
	for at := 0; at+page <= size; at += page {
		p := b[at : at+page]
		if rng.Float64() < noise {
			for i := 0; i < page; i += 8 {
				binary.LittleEndian.PutUint64(p[i:], rng.Uint64())
			}
			continue
		}
		for i := 0; i < page; i += 512 {
			binary.LittleEndian.PutUint64(p[i:], uint64(rng.IntN(100)))
		}
	}
	return b
}

// measurePackings packs and unpacks images, several times each, and takes medians.
func measurePackings(o protocol.ExperimentOptions) (all [len(noises)][]packing, err error) {
	const size, rounds = 16 << 20, 5
	for i, noise := range noises {
		raw := image(noise, size)
		for _, c := range []sstore.Codec{sstore.Gzip, sstore.Zstd, sstore.S2} {
			if err := tell(o, "%s, %.0f %% noise", c, 100*noise); err != nil {
				return all, err
			}
			var there, back []float64
			var packed []byte
			for range rounds {
				began := time.Now()
				var f sstore.File
				packed, f = sstore.Pack(c, raw)
				there = append(there, size/1e6/time.Since(began).Seconds())
				began = time.Now()
				if _, err := f.Unpack(packed); err != nil {
					return all, err
				}
				back = append(back, size/1e6/time.Since(began).Seconds())
			}
			slices.Sort(there)
			slices.Sort(back)
			all[i] = append(all[i], packing{Codec: c, Saved: 1 - float64(len(packed))/size,
				Pack: there[rounds/2], Unpack: back[rounds/2]})
		}
	}
	return all, nil
}

// today is a machine on which nothing but the store and the codec takes time.
func today(rate int64) lab {
	return lab{PerNode: 2, Rate: rate, Launch: 100 * milli, Detect: 100 * milli}
}

// Where codecs are compared.
const (
	codecRanks = 16
	codecImage = 64 * MB
)

// packedTo is how long a snapshot takes in a store of a rate, packed so.
func packedTo(p packing, rate int64) (float64, error) {
	l := today(rate)
	l.Pack, l.Unpack = int64(p.Pack*MB), int64(p.Unpack*MB)
	j := job{lab: l, Ranks: codecRanks, Image: codecImage, Saved: p.Saved,
		Options:  "store=stage flow=64 cache=off codec=" + p.Codec.String(),
		Policies: "autor abort"}
	t, err := j.snapshot()
	return t.Total.Seconds(), err
}

// pays is the rate of the store, in MB/s, up to which packing pays, found by halving.
func pays(p packing) (float64, error) {
	least, most := 1., 1e6
	for most/least > 1.01 {
		rate := math.Sqrt(least * most)
		plain, err := packedTo(packing{}, int64(rate*MB))
		if err != nil {
			return 0, err
		}
		packed, err := packedTo(p, int64(rate*MB))
		if err != nil {
			return 0, err
		}
		if packed < plain {
			least = rate
		} else {
			most = rate
		}
	}
	return math.Sqrt(least * most), nil
}

// codecs is where packing pays: the rate of the store up to which a snapshot is established earlier
// when its files are packed.
func codecs(o protocol.ExperimentOptions) (*protocol.Findings, error) {
	f := new(protocol.Findings)
	all := packings
	if o.Measure {
		var err error
		if all, err = measurePackings(o); err != nil {
			return nil, err
		}
	}
	g := protocol.Grid{Title: fmt.Sprintf("packing on one core, sums included, and the rate of "+
		"the store, in MB/s, up to which it pays for %d ranks", codecRanks),
		Columns: []string{"noise", "codec", "saved", "pack MB/s", "unpack MB/s", "pays up to",
			"formula", "a rank"}}
	var worst float64
	for i, noise := range noises {
		for _, p := range all[i] {
			if err := tell(o, "%s, %.0f %% noise", p.Codec, 100*noise); err != nil {
				return nil, err
			}
			found, err := pays(p)
			if err != nil {
				return nil, err
			}
			formula := codecRanks * p.Pack * p.Saved
			worst = max(worst, math.Abs(found/formula-1))
			g.Rows = append(g.Rows, []string{fmt.Sprintf("%.0f %%", 100*noise), p.Codec.String(),
				fmt.Sprintf("%.0f %%", 100*p.Saved), fmt.Sprintf("%.0f", p.Pack),
				fmt.Sprintf("%.0f", p.Unpack), fmt.Sprintf("%.0f", found),
				fmt.Sprintf("%.0f", formula), fmt.Sprintf("%.0f", found/codecRanks)})
		}
	}
	f.Tables = append(f.Tables, g)
	f.Ratios = append(f.Ratios, protocol.Ratio{Name: "farthest of all from the formula, as a share",
		Value: worst, Least: 0, Most: 0.1})
	f.Notes = append(f.Notes, "formula: ranks x packing rate x share saved, with a core for each "+
		"rank: packing pays as long as the store takes longer for the bytes that are saved than "+
		"a core takes for its image. By the formula the gzip of the source, 9 MB/s a process, "+
		"paid with its store of 76 MB/s and 64 ranks from 13 % saved on.")
	return f, codecCurves(o, all[2], f)
}

// codecCurves is the time of a snapshot, packed to plain, over the rate of the store.
func codecCurves(o protocol.ExperimentOptions, list []packing, f *protocol.Findings) error {
	fig := protocol.Figure{Name: "codecs", Bytes: true,
		Title: fmt.Sprintf("Snapshot of %d ranks, 63 %% saved: packed to plain", codecRanks),
		X:     "bytes a second of the store", Y: "time, packed to plain"}
	for style, p := range list {
		c := protocol.Curve{Name: p.Codec.String(), Style: style}
		for rate := int64(64); rate <= 64<<10; rate *= 2 {
			if err := tell(o, "%s, %d MB/s", p.Codec, rate); err != nil {
				return err
			}
			plain, err := packedTo(packing{}, rate*MB)
			if err != nil {
				return err
			}
			packed, err := packedTo(p, rate*MB)
			if err != nil {
				return err
			}
			c.At = append(c.At, [2]float64{float64(rate) * MB, packed / plain})
		}
		fig.Curves = append(fig.Curves, c)
	}
	f.Figures = append(f.Figures, fig)
	return nil
}
