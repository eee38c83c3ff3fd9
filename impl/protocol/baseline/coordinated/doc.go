// Package coordinated is coordinated checkpoints of everybody: all ranks make one recovery line
// together, and go back to it together when one of them fails.
//
// Sources: [Tamir] Tamir and Séquin, ICPP 1984, where everybody stops sending while a checkpoint is
// taken; [CL] Chandy and Lamport, TOCS 1985, where nobody does. What is here is rebuilt from the
// published ideas; no line of it claims to be printed there. The checkpoint itself is package
// impl/protocol/part/snapshot, of which the one group is everybody.
//
// Model: reliable FIFO channels, fail-stop, any number of failures. Nothing is asked of programs:
// what a rank does again after a failure may be different, because everybody does it again, and
// nobody outside has seen anything of it. In the model everybody stops when one fails, as one
// group, which stands for ranks that are told to go back.
//
// State: the channels (numbers, what has arrived), the checkpoint under way, and of outputs: which
// checkpoint was asked for because of one, and the digest of the program's state in the line.
//
// Messages: those of the program, with their number and the life of their sender, and the notices
// of package snapshot: SaveRequest, Marker, Saved, Commit.
//
// The rules:
//
//	C1  A checkpoint is asked for by the program or the environment, at any rank; the first rank
//	    begins it. One that is asked for while another is under way is that one.
//	C2  Blocking: who takes part sends nothing, marks all channels, and takes its image when all
//	    channels into it are marked, so empty. It sends again when the checkpoint is committed.
//	    Markers: who takes part takes its image at once, marks all channels, and adds what arrives
//	    before the marker of each channel.
//	C3  The checkpoint is the line when the first rank, which has heard that all images are stable,
//	    has made that durable. Then it tells the others, and only then are old images deleted.
//	C4  When somebody fails all go back to the line. What an undone life has sent is dropped, also
//	    about checkpoints, and a checkpoint that was under way is given up.
//	C5  An output leaves when the line holds the very state that it shows, so nobody outside ever
//	    sees what is undone. A rank that waits at one asks for a checkpoint. In that state the
//	    output comes first: a posted receive that completed before it, when all have gone back,
//	    would make it another one.
//
// Silent in the sources, and settled here: a failure during a checkpoint (C4); who makes commits
// durable (the first rank, C3); outputs (C5), which [Tamir] and [CL] do not speak of.
//
// There are no claims (core.Commuter): everybody starts over together, so little is left to claim
// behind the last failure (if everything was claimed there, 1.03 times fewer states).
package coordinated
