package radic

import (
	"fmt"

	"github.com/domino-check/domino/impl/protocol"
)

// System is one row of Table 3.1 of the thesis: what it says about a system. "na" is what the
// table leaves open. These are claims, not findings; Notes has where the text of section 3.3.2
// contradicts the table.
type System struct {
	Name          string
	Logging       string // message logging
	Decentralised string // no central component
	Checkpoint    string
	Storage       string
	Transparent   string // to the application
	Automatic     string // detection and recovery
	Spares        string // warm spare nodes
	Notes         string
}

// Systems are Table 3.1 of the thesis, in its order.
func Systems() []System {
	return []System{
		{Name: "RADIC", Logging: "pessimistic, receiver", Decentralised: "yes",
			Checkpoint: "uncoordinated or semi-coordinated", Storage: "distributed",
			Transparent: "yes", Automatic: "yes", Spares: "dynamic"},
		{Name: "OPEN-MPI", Logging: "no", Decentralised: "no", Checkpoint: "coordinated",
			Storage: "central", Transparent: "yes", Automatic: "no", Spares: "na"},
		{Name: "MPICH-V", Logging: "several", Decentralised: "no",
			Checkpoint: "uncoordinated or coordinated", Storage: "central", Transparent: "yes",
			Automatic: "no", Spares: "predefined"},
		{Name: "FT-Pro", Logging: "no", Decentralised: "no", Checkpoint: "coordinated",
			Storage: "na", Transparent: "yes", Automatic: "yes",
			Spares: "predefined", Notes: "the text says that it needs a central stable store"},
		{Name: "MPI/FT", Logging: "no", Decentralised: "no", Checkpoint: "coordinated",
			Storage: "central", Transparent: "no", Automatic: "yes", Spares: "predefined"},
		{Name: "LAM/MPI", Logging: "no", Decentralised: "no", Checkpoint: "coordinated",
			Storage: "na", Transparent: "yes", Automatic: "no", Spares: "na",
			Notes: "the text calls it not transparent"},
		{Name: "FT-MPI", Logging: "no", Decentralised: "no", Checkpoint: "na", Storage: "na",
			Transparent: "no", Automatic: "no", Spares: "predefined",
			Notes: "the text does not mention its spares"},
		{Name: "Starfish", Logging: "no", Decentralised: "no",
			Checkpoint: "uncoordinated or coordinated", Storage: "na", Transparent: "yes",
			Automatic: "yes", Spares: "na"},
	}
}

// claims are the rows in words.
func claims() (list []protocol.Claim) {
	for _, s := range Systems() {
		doc := fmt.Sprintf("logging %s; decentralised %s; checkpoints %s; storage %s; "+
			"transparent %s; automatic %s; spares %s", s.Logging, s.Decentralised, s.Checkpoint,
			s.Storage, s.Transparent, s.Automatic, s.Spares)
		if s.Notes != "" {
			doc += " (" + s.Notes + ")"
		}
		list = append(list, protocol.Claim{Name: s.Name, Doc: doc, Source: "[RADIC] Table 3.1"})
	}
	return list
}
