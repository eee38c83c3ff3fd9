package radic

// Solution is one row of Table 3.1 of the thesis: what it says about a system. "na" is what the
// table leaves open. These are claims, not findings; Notes has where the text of section 3.3.2
// contradicts the table.
type Solution struct {
	Name          string `json:"name"`
	Logging       string `json:"logging"`       // message logging
	Decentralised string `json:"decentralised"` // no central component
	Checkpoint    string `json:"checkpoint"`
	Storage       string `json:"storage"`
	Transparent   string `json:"transparent"` // to the application
	Automatic     string `json:"automatic"`   // detection and recovery
	Spares        string `json:"spares"`      // warm spare nodes
	Notes         string `json:"notes,omitempty"`
}

// Table31 is Table 3.1 of the thesis, in its order.
func Table31() []Solution {
	return []Solution{
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
