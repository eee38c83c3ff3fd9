// Package gauge takes the small measurements of the computer that it runs on which a machine of
// package impl/runtime/simulate needs beside those of messages: how fast memory is copied, what a
// record on stable storage takes, how soon a process runs and how soon its death is known; and it
// says which computer that is. Of several tries the least time counts, as others may have work on
// the computer, too; of the stable storage it is the median, as its speed is not its own.
package gauge
