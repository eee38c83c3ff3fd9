// Package explorer serves checker/explore to a browser on the same machine: an API below /api/ and
// the page that uses it.
//
// Whoever may ask is whoever has the token, which is in the fragment of the address that is printed
// and so in no log: the page sends it with each request. A page of somebody else that the browser
// shows at the same time can not: its requests are of another site, or for another host name.
// Nothing is written but by Save, below one folder.
package explorer
