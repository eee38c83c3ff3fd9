// Package protocol says what a protocol is to the tools: one value with its name, how it is set up
// for programs, what differs from its paper, which random scenarios fit it, what it is judged by
// beside the properties of the house, how it is broken on purpose, and how it is measured.
//
// Everything that domino can do, it does to such values; nothing knows a protocol by name. The list
// of the house is in impl/protocol/all, a line each. A protocol of one's own is a value in a
// package of one's own: cmd/domino/app.Main makes the whole command of any list of them, and
// checker/verify.Test and fuzz.Test check one from go test. impl/protocol/example/resend is a
// worked example.
package protocol
