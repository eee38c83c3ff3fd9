package traffic_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/traffic"
	"github.com/domino-check/domino/spec/trace"
)

// pair and sum are a channel and what it carries, for the twin of a graph.
type pair [2]int
type sum struct{ Bytes, Messages int64 }

// flat is a graph as a map, in which wrong order and doubled channels show as an error.
func flat(t *testing.T, g *traffic.Graph) map[pair]sum {
	t.Helper()
	all := map[pair]sum{}
	var bytes, messages int64
	for r := range g.Ranks {
		to, carried := g.Row(r)
		for i, q := range to {
			s := sum{Bytes: carried[i]}
			if g.Counted() {
				s.Messages = g.RowMessages(r)[i]
			}
			if i > 0 && to[i-1] >= q || int(q) == r || int(q) >= g.Ranks {
				t.Fatalf("row %d: %v", r, to)
			}
			all[pair{r, int(q)}] = s
			bytes, messages = bytes+s.Bytes, messages+s.Messages
		}
	}
	if len(all) != g.Channels() || bytes != g.Bytes || g.Counted() && messages != g.Messages {
		t.Fatalf("%d channels, %d bytes, %d messages; the graph says %d, %d, %d", len(all), bytes,
			messages, g.Channels(), g.Bytes, g.Messages)
	}
	return all
}

func goOn() error { return nil }

// TestFiles compares what files hold with their tables.
func TestFiles(t *testing.T) {
	tests := []struct {
		name, text string
		ranks      int // given
		want       map[pair]sum
		all        int
		notes      string
	}{
		{"csv", "0,1,100,2\n1,0,50,1\n", 0,
			map[pair]sum{{0, 1}: {100, 2}, {1, 0}: {50, 1}}, 2, ""},
		{"csv with a header in another order, comments, spaces, a mark and no last end",
			"\xef\xbb\xbfBytes, dst,src\r\n# x\r\n\r\n7, 2, 0\r\n 3,0,1", 0,
			map[pair]sum{{0, 2}: {7, 0}, {1, 0}: {3, 0}}, 3, "[f:5: the last line has no end: is " +
				"it whole?]"},
		{"csv in quotes", "\"src\",\"dst\",\"bytes\"\n\"0\",1 , \"5\" \n", 0,
			map[pair]sum{{0, 1}: {5, 0}}, 2, ""},
		{"csv with semicolons", "dst;src;bytes\r\n1;0;5\r\n", 0,
			map[pair]sum{{0, 1}: {5, 0}}, 2, ""},
		{"csv with tabs", "0\t1\t5\t2\n1\t0\t6\t1\n", 0,
			map[pair]sum{{0, 1}: {5, 2}, {1, 0}: {6, 1}}, 2, ""},
		{"csv of a run that was cut", "# the run did not end by itself: it would have sent more\n" +
			"src,dst,bytes,messages\n0,1,5,1\n", 0, map[pair]sum{{0, 1}: {5, 1}}, 2,
			"[the run did not end by itself: it would have sent more]"},
		{"csv in pieces, unordered, with a copy and idle ranks",
			"3,1,5,1\n3,0,1,1\n3,1,6,2\n2,2,9,1\n", 6,
			map[pair]sum{{3, 0}: {1, 1}, {3, 1}: {11, 3}}, 6, "[9 bytes from ranks to themselves " +
				"are local copies, left out 3 of 6 ranks neither send nor receive]"},
		{"csv of a run that was cut, with a remark behind that, copies, and one idle rank",
			traffic.CutMark + "\n# more\n0,1,5\n0,0,3\n1,1,4\n", 3,
			map[pair]sum{{0, 1}: {5, 0}}, 3, "[7 bytes from ranks to themselves are local " +
				"copies, left out 1 of 3 ranks neither send nor receive " +
				traffic.CutMark[2:] + "]"},
		{"csv, not connected", "0,1,1\n2,3,1\n", 0, map[pair]sum{{0, 1}: {1, 0}, {2, 3}: {1, 0}},
			4, "[not connected: 2 parts between which there is no traffic]"},
		{"market", "%%MatrixMarket matrix coordinate integer general\n% x\n3 3 2\n1 2 10\n3 1 4\n",
			0, map[pair]sum{{0, 1}: {10, 0}, {2, 0}: {4, 0}}, 3, ""},
		{"market, symmetric and real",
			"%%matrixmarket MATRIX coordinate real symmetric\n2 2 2\n2 1 1.5e3\n1 1 3\n", 2,
			map[pair]sum{{0, 1}: {1500, 0}, {1, 0}: {1500, 0}}, 2,
			"[3 bytes from ranks to themselves are local copies, left out]"},
		{"market, pattern",
			"%%MatrixMarket matrix coordinate pattern general\n\n2 2 1\n2 1\n", 0,
			map[pair]sum{{1, 0}: {1, 0}}, 2, ""},
		{"market, pattern and symmetric, with a mark and returns",
			"\xef\xbb\xbf%%MatrixMarket matrix coordinate pattern symmetric\r\n3 3 2\r\n2 1\r\n" +
				"3 2\r\n", 0, map[pair]sum{{0, 1}: {1, 0}, {1, 0}: {1, 0}, {1, 2}: {1, 0},
				{2, 1}: {1, 0}}, 3, ""},
		{"the last line ends before its last field is done", "0,1,5\n1,0,55", 0,
			map[pair]sum{{0, 1}: {5, 0}, {1, 0}: {55, 0}}, 2,
			"[f:2: the last line has no end: is it whole?]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g, err := traffic.Read("f", strings.NewReader(tt.text), tt.ranks)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, flat(t, g)); diff != "" || g.Ranks != tt.all {
				t.Errorf("%d ranks, want %d (-want +got):\n%s", g.Ranks, tt.all, diff)
			}
			if got := fmt.Sprint(g.Notes); strings.Trim(got, "[]") != strings.Trim(tt.notes, "[]") {
				t.Errorf("notes %s, want %s", got, tt.notes)
			}
		})
	}
}

// TestErrors: what is wrong with a file is said with its line and its field.
func TestErrors(t *testing.T) {
	market := "%%MatrixMarket matrix coordinate integer general\n"
	tests := []struct{ name, text, want string }{
		{"empty", "", "f: not a line in it: no traffic"},
		{"nothing but comments", "\xef\xbb\xbf\r\n# x\n", "f: not a line in it: no traffic"},
		{"compressed", "\x1f\x8b\x08", "f: compressed with gzip: unpack it"},
		{"of 16 bits", "\xff\xfe0\x00", "f: text in UTF-16: save it as UTF-8"},
		{"of 16 bits, the other way round", "\xfe\xff\x000", "f: text in UTF-16: save it"},
		{"a blank between", "0 1 5\n", "f:1: 1 field, want src,dst,bytes or " +
			"src,dst,bytes,messages, with commas, semicolons or tabs"},
		{"header alone", "src,dst,bytes\n", "f: no traffic"},
		{"nothing sent", "0,1,0\n", "f: no traffic"},
		{"one rank", "0,0,5\n", "f: no traffic"},
		{"unknown rank", "0,1,5\n0,8,5\n", "f:2: dst 8: this rank is unknown, there are 8, from 0"},
		{"negative size", "0,1,-5\n", "f:1: bytes -5: negative"},
		{"a quote alone", "0,1,\"\n", `f:1: bytes "\"": want a whole number`},
		{"nothing in quotes", "0,\"\",5\n", `f:1: dst "": want a whole number`},
		{"negative rank", "src,dst,bytes\n-1,1,5\n", "f:2: src -1: negative"},
		{"no message", "0,1,0,0\n0,1,5,0\n", "f:2: messages 0: 5 bytes need one"},
		{"negative messages", "0,1,5,-2\n", "f:1: messages -2: negative"},
		{"absurd size", "0,1,99999999999999999999\n", "f:1: bytes 99999999999999999999: no number"},
		{"absurd by a digit", "0,1,9999999999999999999\n", "f:1: bytes 9999999999999999999: no"},
		{"absurd sum", "0,1,72057594037927936\n1,0,1\n", "f:2: bytes 1: more than"},
		{"absurd with what stays at home", "0,0,72057594037927936\n0,1,1\n", "f:2: bytes 1: more"},
		{"absurd sum of messages", "0,1,1,72057594037927936\n1,0,1,1\n",
			"f:2: messages 1: more than 72057594037927936 in all"},
		{"a fraction", "0,1,5.5\n", `f:1: bytes "5.5": want a whole number`},
		{"a word", "0,1,5\n0,x,5\n", `f:2: dst "x": want a whole number`},
		{"a field is missing", "0,1,5,1\n0,1,5\n", "f:2: 3 fields, the first line has 4"},
		{"a field too many", "0,1,5\n0,1,5,1\n", "f:2: 4 fields, the first line has 3"},
		{"commas, then semicolons", "0,1,5\n0;1;5\n", "f:2: 1 field, the first line has 3"},
		{"semicolons, then commas", "0;1;5\n0,1,5\n", "f:2: 1 field, the first line has 3"},
		{"two fields", "0,1\n", "f:1: 2 fields, want src,dst,bytes or"},
		{"an unknown column", "src,dst,size\n", `f:1: column "size": want src, dst, bytes,`},
		{"a column twice", "src,src,bytes\n", `f:1: column "src": want src, dst, bytes,`},
		{"a column is missing", "src,dst,messages\n", "f:1: a column of src, dst and bytes is"},
		{"no line ends", strings.Repeat("1,", 40_000), "f:1: a line of more than 65536 bytes"},
		{"cut", market + "8 8 2\n1 2 3\n", "f:3: the file ends after 1 of 2 entries: it was cut"},
		{"cut before the size", market, "f:1: the file ends before the size"},
		{"cut in an entry", market + "8 8 2\n1 2 3\n2 1", "f:4: 2 fields, want 3"},
		{"too long", market + "8 8 1\n1 2 3\n2 1 4\n", "f:4: more than the 1 entries"},
		{"unknown row", market + "8 8 1\n9 1 4\n", "f:3: row 9: this rank is unknown"},
		{"row zero", market + "8 8 1\n0 1 4\n", "f:3: row 0: this rank is unknown"},
		{"not square", market + "8 7 1\n", "f:2: 8 rows and 7 columns"},
		{"another number of ranks", market + "9 9 1\n", "f:2: rows 9: there are 8 ranks"},
		{"fewer ranks", market + "7 7 1\n", "f:2: rows 7: there are 8 ranks"},
		{"an absurd real number", market + "8 8 1\n2 1 1e17\n", "f:3: value 1e17: more than"},
		{"absurd order", market + "2000000 2000000 1\n", "f:2: rows 2000000: want"},
		{"negative value", market + "8 8 1\n2 1 -4\n", "f:3: value -4: negative"},
		{"negative real", market + "8 8 1\n2 1 -4.0\n", "f:3: value -4.0: negative"},
		{"not a number", market + "8 8 1\n2 1 NaN\n", `f:3: value "NaN": want a whole number`},
		{"infinite", market + "8 8 1\n2 1 1e999\n", "f:3: value 1e999: more than"},
		{"a real fraction", market + "8 8 1\n2 1 1.5\n", "f:3: value 1.5: want a whole number"},
		{"dense", "%%MatrixMarket matrix array real general\n", "f:1: a dense matrix, an array"},
		{"a vector", "%%MatrixMarket vector coordinate real general\n",
			"f:1: want \"%%MatrixMarket"},
		{"both sides of a symmetric one", "%%MatrixMarket matrix coordinate integer symmetric\n" +
			"8 8 2\n2 1 4\n1 2 4\n", "f:4: row 1, column 2: above the diagonal"},
		{"complex", "%%MatrixMarket matrix coordinate complex general\n", "f:1: entries are comp"},
		{"skew", "%%MatrixMarket matrix coordinate real skew-symmetric\n", "f:1: the matrix is sk"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := traffic.Read("f", strings.NewReader(tt.text), 8)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s...", err, tt.want)
			}
			if strings.Contains(tt.want, "no traffic") != errors.Is(err, traffic.ErrEmpty) {
				t.Errorf("%v is empty: %t", err, errors.Is(err, traffic.ErrEmpty))
			}
		})
	}
}

// TestRanks: a number of ranks that no machine has is refused before there is memory for them.
func TestRanks(t *testing.T) {
	for _, ranks := range []int{-1, traffic.MaxRanks + 1, 1 << 60} {
		_, err := traffic.Read("f", strings.NewReader("0,1,5\n"), ranks)
		if err == nil || !strings.Contains(err.Error(), "want at most 1048576") {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
	if g, err := traffic.Read("f", strings.NewReader("0,1,5\n"), traffic.MaxRanks); err != nil ||
		g.Ranks != traffic.MaxRanks {
		t.Errorf("as many as there may be: %v", err)
	}
}

// TestRandomFiles compares graphs of random lines, with repeated channels, with sums in a map.
func TestRandomFiles(t *testing.T) {
	for seed := range uint64(effort.Cases(50, 500)) {
		r := rand.New(rand.NewPCG(seed, 1))
		n, want := 2+r.IntN(20), map[pair]sum{}
		var text strings.Builder
		for range 1 + r.IntN(200) {
			p, s := pair{r.IntN(n), r.IntN(n)}, sum{r.Int64N(1000), 1 + r.Int64N(10)}
			fmt.Fprintf(&text, "%d,%d,%d,%d\n", p[0], p[1], s.Bytes, s.Messages)
			if p[0] != p[1] {
				want[p] = sum{want[p].Bytes + s.Bytes, want[p].Messages + s.Messages}
			}
		}
		g, err := traffic.Read("f", strings.NewReader(text.String()), n)
		if errors.Is(err, traffic.ErrEmpty) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, flat(t, g)); diff != "" {
			t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
		}
	}
}

// TestManyChannels: a table of two hundred thousand lines, which no single piece of memory has,
// with channels in any order and some twice.
func TestManyChannels(t *testing.T) {
	const ranks, lines = 1000, 200_000
	var b traffic.Builder
	want := map[pair]sum{}
	r := rand.New(rand.NewPCG(3, 1))
	for i := range lines {
		p, bytes := pair{r.IntN(ranks), r.IntN(ranks)}, int64(i)
		if p[0] == p[1] {
			continue
		}
		if err := b.Add(p[0], p[1], bytes, 1); err != nil {
			t.Fatal(err)
		}
		want[p] = sum{want[p].Bytes + bytes, want[p].Messages + 1}
	}
	g, err := b.Graph(ranks, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := flat(t, g); !maps.Equal(got, want) {
		t.Errorf("%d channels differ from %d", len(got), len(want))
	}
}

// TestKernels compares the traffic of kernels with counts of real runs of the benchmarks, to which
// collectives come: allreduces of 40 bytes by recursive doubling, reductions of 16 along a tree.
func TestKernels(t *testing.T) {
	tests := []struct {
		text                string
		bytes, messages     int64 // from rank to rank
		more, collectives   int64
		channels, groupSize int
	}{
		{"bt class=S ranks=4", 14_328_480, 2_952, 2 * 4 * 2 * 40, 2 * 4 * 2, 12, 4},
		{"sp class=S ranks=4", 14_807_040, 4_872, 2 * 4 * 2 * 40, 2 * 4 * 2, 12, 4},
		{"cg class=S ranks=8", 23_406_592, 21_888, 0, 0, 0, 8},
		{"ft class=S ranks=8", 29_360_128, 448, 6 * 7 * 16, 6 * 7, 56, 8},
		{"lu class=S ranks=4", 3_304_320, 4_512, 5 * 4 * 2 * 40, 5 * 4 * 2, 8, 4},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			g, err := traffic.Kernel(tt.text, goOn)
			if err != nil {
				t.Fatal(err)
			}
			flat(t, g)
			if g.Ranks != tt.groupSize || g.Bytes != tt.bytes+tt.more ||
				g.Messages != tt.messages+tt.collectives {
				t.Errorf("%d ranks, %d bytes, %d messages, want %d, %d, %d", g.Ranks, g.Bytes,
					g.Messages, tt.groupSize, tt.bytes+tt.more, tt.messages+tt.collectives)
			}
			if tt.channels > 0 && g.Channels() != tt.channels {
				t.Errorf("%d channels, want %d", g.Channels(), tt.channels)
			}
		})
	}
}

// TestFlushes counts by hand what leanmd sends, at moments that only a run knows or to groups. Two
// cells, each on a rank, see each other: the ranks of a cell's computes are its own and the other,
// so there are two trees of one edge, each with data down and a sum up in a step. After ten steps
// each cell sends a face of 64 bytes to the other both ways along x, and to itself along y and z.
func TestFlushes(t *testing.T) {
	for _, form := range []string{"messages", "groups"} {
		g, err := traffic.Kernel("leanmd ranks=2 cx=2 size=64 iterations=11 form="+form, goOn)
		if err != nil {
			t.Fatal(err)
		}
		one := sum{11*2*64 + 2*64, 11*2 + 2}
		if diff := cmp.Diff(map[pair]sum{{0, 1}: one, {1, 0}: one}, flat(t, g)); diff != "" {
			t.Errorf("form=%s (-want +got):\n%s", form, diff)
		}
	}
}

// TestRefused: programs that do not say how much goes where, and what stops the caller.
func TestRefused(t *testing.T) {
	if _, err := traffic.Kernel("matmul-dynamic ranks=3", goOn); err == nil {
		t.Error("a program that hands out work as it comes has traffic by formula")
	}
	if _, err := traffic.Kernel("bt ranks=5", goOn); err == nil {
		t.Error("five ranks are a square")
	}
	if _, err := traffic.Kernel("ring ranks=1", goOn); !errors.Is(err, traffic.ErrEmpty) {
		t.Errorf("one rank: %v", err)
	}
	stop := errors.New("stop")
	asked := 0
	if _, err := traffic.Kernel("ring ranks=9", func() error {
		if asked++; asked == 3 {
			return stop
		}
		return nil
	}); !errors.Is(err, stop) || asked != 3 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	answer := core.Program{{Kind: core.OpRecv, Any: true}, {Kind: core.OpSend, Any: true}}
	if _, err := traffic.Programs([]core.Program{answer, {}}, nil); err == nil ||
		!strings.Contains(err.Error(), "answers whoever") {
		t.Errorf("an answer to anyone has a receiver: %v", err)
	}
}

// TestGroups: a multicast is one message along every edge of the tree, a reduction one from each
// member but the root. Loops multiply, and what follows a failure does not count.
func TestGroups(t *testing.T) {
	tree, err := trace.NewTree("g", "sum", []string{"a", "b", "c"}, []trace.Rank{0, 1},
		[][]trace.Rank{{1}, {2}})
	if err != nil {
		t.Fatal(err)
	}
	root := core.Program{{Kind: core.OpLoop, Count: 3},
		{Kind: core.OpMulticast, Group: 1, Bytes: 20},
		{Kind: core.OpEnd}, {Kind: core.OpContribute, Group: 1}}
	leaf := core.Program{{Kind: core.OpContribute, Group: 1, Bytes: 30},
		{Kind: core.OpSend, Peer: 0}, {Kind: core.OpSend, Peer: 0, OnError: true}}
	g, err := traffic.Programs([]core.Program{root, leaf, leaf}, []trace.Tree{tree})
	if err != nil {
		t.Fatal(err)
	}
	want := map[pair]sum{{0, 1}: {60, 3}, {1, 2}: {60, 3}, {1, 0}: {30 + 8, 2}, {2, 1}: {30, 1},
		{2, 0}: {8, 1}}
	if diff := cmp.Diff(want, flat(t, g)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// BenchmarkRead reads ten million channels, in random order: go test -bench Read -benchtime 1x.
func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		in, out := io.Pipe()
		go func() {
			r, w := rand.New(rand.NewPCG(1, 2)), bufio.NewWriterSize(out, 1<<16)
			for range 10_000_000 {
				fmt.Fprintf(w, "%d,%d,%d,1\n", r.IntN(1<<17), r.IntN(1<<17), r.IntN(1<<20))
			}
			_ = out.CloseWithError(w.Flush())
		}()
		g, err := traffic.Read("f", in, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(g.Channels()), "channels")
	}
}
