// Package snapshot is coordinated checkpoints of a group of ranks that restart together: a cluster,
// a node, or everybody.
//
// Definitions: a cut is one image of each member; a message is on its way through the cut when it
// was sent before it and received after it. A line is a cut whose images, and what was on its way
// inside the group, are stable, and which is decided to be what the group restarts from. What goes
// into or out of the group is not its business: a log has that, or nobody is outside.
//
// The parts, each used on its own or together:
//
//   - Cut (cut.go) finds what was on its way: by markers on channels that keep order (Chandy and
//     Lamport, TOCS 1985), or by markers that say how many messages were sent before them on
//     channels that do not. Plain data, no messages of its own.
//
//   - State (snapshot.go) is a whole checkpoint on channels that keep order: a request, images,
//     markers, then two phases: all images stable at their members, then the commit record of the
//     first member, which decides. Its calls come from a protocol's layer, which is a Member and
//     embeds the State in its own.
//
//   - Style (style.go) is the choice between the two forms of a checkpoint: Markers, which holds
//     nobody, and Blocking (Tamir and Sequin, ICPP 1984), where nothing is sent inside the group
//     while a checkpoint is under way, channels run empty behind the markers, which are its
//     flushes, and the image is taken then.
//
//   - records.go has the names of the records and finds the line among them after a restart.
//
// Model of State: reliable FIFO channels inside the group, own stable storage of each member, which
// tears at most the last write, and members that stop and restart together in a new life. A
// checkpoint is under way at most once; a failure gives it up.
//
// How a layer uses State, in either style: it is a Member, and has a State in its state. It hands
// over each Checkpoint input (Request), each Persisted input (Persisted), each notice of a member
// (Received) and, where it accepts it, each application message of a member (Record). What Image
// returns has the program, the channels, and what has arrived and is not delivered. With Restore it
// restarts. Life must be one for all members and differ from that of everything that was undone:
// the incarnation, where they restart together, the number of a recovery round where they do not.
// To have the choice, it is Styled as well, reads its option with Style.Set, and asks Blocks in
// Ready.
//
// Users: HydEE is all of it. The node of RBML and HMPL uses Cut, with counts, because order is not
// kept there; it decides elsewhere, since images are at loggers, which fail apart from the ranks,
// so that a checkpoint must replace one that is under way. Causal logging uses the records: its
// members restart alone, so it has a third phase, repeats what a failed coordinator has forgotten,
// and takes back what it has counted of a member that restarts; its members wait at a checkpoint,
// so what is on its way is what has arrived when all markers are here.
package snapshot
