package campaign_test

import (
	"encoding/json"
	"testing"

	"github.com/domino-check/domino/checker/shard/campaign"
)

// FuzzDecode reads what anybody may have put where jobs, answers, headers and the like are: it is
// understood whole, and comes back as it was, or it is an error.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"kind":"check","deliveries":4,"data":{}}`))
	f.Add([]byte(`{"job":"x","data":1,"worker":"w"}`))
	f.Add([]byte(`{"id":"c","build":"b","command":["check"],"state":"open","taken":3}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, v := range []any{new(campaign.Job), new(campaign.Answer), new(campaign.Header),
			new(campaign.Member), new(campaign.Progress)} {
			if campaign.Decode(data, v) != nil {
				continue
			}
			text, err := json.Marshal(v)
			if err != nil {
				t.Fatalf("%T of %q: %v", v, data, err)
			}
			if err := campaign.Decode(text, v); err != nil {
				t.Errorf("%T of %q: %v", v, text, err)
			}
		}
	})
}
