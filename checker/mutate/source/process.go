package source

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// JudgeFlag is the flag with which a program is the judge of a mutant: it reads a job from its
// standard input and says what comes of it.
const JudgeFlag = "judge-of-domino"

// grace is how long a judge may take beyond its limits before it is taken to hang.
const grace = 60 * time.Second

// judge runs a job in a process of its own, since a mutant may do anything, and hands over what it
// says. A process that ends otherwise than it should was killed by what it was at.
func judge(ctx context.Context, program string, job *Job, limit time.Duration,
	hear func(*Said)) error {
	text, err := json.Marshal(job)
	if err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, limit+grace)
	defer cancel()
	cmd := exec.CommandContext(bounded, program, "mutate", "--"+JudgeFlag)
	cmd.Stdin = bytes.NewReader(text)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "GOGC=400",
		"GOTRACEBACK=none")
	var wrong bytes.Buffer
	cmd.Stderr = &wrong
	cmd.WaitDelay = time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	at := ""
	for lines := bufio.NewReader(out); ; {
		data, err := lines.ReadBytes('\n')
		if err != nil {
			break // the end, of whatever kind: Wait says which
		}
		said := new(Said)
		if json.Unmarshal(data, said) != nil {
			continue // a mutant may print
		}
		if at = said.Trial; !said.Begun {
			at = ""
			hear(said)
		}
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case bounded.Err() != nil:
		hear(&Said{Trial: at, Killed: true, Why: "it hangs"})
	case err != nil && at == "":
		return fmt.Errorf("the judge of mutant %d: %w: %s", job.Mutant, err,
			strings.TrimSpace(wrong.String()))
	case err != nil:
		first, _, _ := strings.Cut(strings.TrimSpace(wrong.String()), "\n")
		hear(&Said{Trial: at, Killed: true, Why: "the process ends: " + first})
	}
	return nil
}
