// Package disk is stable storage on real disks: what a machine persists survives the death of its
// process, and of the host, and is handed to its next life as core.Record.
//
// Each proc has one folder, its store. In it are a log of entries (put, delete), and one file for
// each large value. The log orders everything: an entry is stable only with all entries before it,
// so after a crash the records are those of a prefix of the entries, as in the modelled world,
// where writes become stable in the order of the effects. Entries are committed in groups: one
// write and one sync for whatever has come together, since 4 and 64 KiB cost the same.
//
// What is written is checked again when it is read: CRC-32C over every entry and value, a version,
// and the identity of the run and of the proc. Two slots in the head of the log say, in turn, how
// far it is committed. So a bad byte is told apart from a write that the crash cut:
//
//   - Damage below the committed end, or of a file that an entry there names, is an error that
//     names the file: ErrCorrupt, ErrVersion, ErrOtherRun. Nothing is ever taken for "no record".
//   - Behind the committed end a crash leaves a prefix of the last group, perhaps with a half entry
//     behind it. The half entry was never acknowledged. If its key has an older value, that one
//     stays; if it has none, the record is handed out as torn. The torn writes of the model are
//     the same (checker/world, env.tears): TestTornAsModelled runs both on one script.
//
// The slot for a group is written after its sync and reaches the disk with the next one. When the
// host loses power, the last group may therefore be complete behind the committed end, and is found
// there by its checksums; only damage that comes on top of a power failure, and to that last group,
// can pass for a cut write.
//
// A failed write leaves the records as they were committed and makes the store refuse everything
// afterwards: a process whose disk has lied once stops. Whether the entries of the failed group are
// stable is decided when the store is opened again. A disk that is full has not lied: the group is
// taken back and refused (ErrFull), and the store goes on.
//
// A store for snapshots reads back what it has before it says so (Get), and may be one that is not
// to be trusted (OpenSpoiled): values that are damaged then, by Spoil for one, are torn records,
// and no errors.
//
// A value file is written under its final, unused name and synced, with its folder, before the
// entry that names it: until then nobody looks at it, so it needs no rename; a new log (Open,
// compaction) is renamed into place. Values are neither copied nor encoded on their way to the
// file.
//
// A process that is killed loses nothing that it has written, synced or not. So that a sync that is
// missing is found by killing processes, a store may be opened on a Forgetful, which writes down
// how to undo what is not synced, and Forget undoes it, or some of it, when the process is dead.
//
// It keeps no history and shares nothing between procs: Read looks into the store of another proc,
// for Setup.Reads, without changing it.
package disk
