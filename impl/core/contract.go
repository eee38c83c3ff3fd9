package core

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// What a driver can see of a machine that breaks the contract. Every driver looks at the same
// things: at a setup before the first step (Setup.ValidateCode), at the effects of every step
// (Wrong).

// Wrong says in what an effect of a setup with so many procs is none that a driver can perform, and
// what to do about it; "" is nothing.
func (e *Effect) Wrong(procs int) string {
	switch e.Kind {
	case SendMessage, Watch, Unwatch, Declare, Kill, Launch:
		if int(e.To) >= procs {
			return fmt.Sprintf("names proc %d in a %s effect, want one of 0 to %d: procs are the "+
				"indices of Layout.Names", e.To, e.name(), procs-1)
		}
		if e.Kind == SendMessage && e.Message == nil {
			return fmt.Sprintf("sends no message to proc %d: Message of a %v effect is nil", e.To,
				e.Kind)
		}
		if e.Kind == Declare && !e.What.Declared() {
			return fmt.Sprintf("declares an event of kind %d (%v), which is for drivers to see: "+
				"want a What for which Declared is true", e.What, e.What)
		}
	default:
		if e.Kind == 0 || e.Kind >= endOfKinds {
			return fmt.Sprintf("has an effect of kind %d, want one of 1 to %d: make effects by "+
				"SendTo, DropInput or with a Kind of core", e.Kind, endOfKinds-1)
		}
	}
	return ""
}

// Wrong says how an effect of one of its procs asks for what no driver can do in the setup; "" is
// nothing.
func (s *Setup) Wrong(e *Effect) string {
	if words := e.Wrong(len(s.Layout.Names)); words != "" {
		return words
	}
	if _, placed := s.Layout.Hosted[e.To]; e.Kind == Kill || e.Kind == Launch {
		if !s.Launched || !placed {
			return fmt.Sprintf("names %s in a %s effect, which runs on no node where procs are "+
				"launched: want Setup.Launched, and the proc in Layout.Hosted",
				s.Layout.Name(e.To), e.name())
		}
		if len(s.Group(e.To)) > 1 {
			return fmt.Sprintf("names %s in a %s effect, which stops in a group with others: who "+
				"is launched stops alone", s.Layout.Name(e.To), e.name())
		}
	}
	return ""
}

// kindNames are the names of the effects that name a proc.
var kindNames = map[EffectKind]string{SendMessage: "SendMessage", Watch: "Watch",
	Unwatch: "Unwatch", Declare: "Declare",
	Kill: "Kill", Launch: "Launch"}

// name is the kind, with what is declared.
func (e *Effect) name() string {
	if e.Kind == Declare {
		return fmt.Sprintf("%v (%v)", e.Kind, e.What)
	}
	return e.Kind.String()
}

// String names a kind.
func (k EffectKind) String() string {
	if name, ok := kindNames[k]; ok {
		return name
	}
	return fmt.Sprintf("EffectKind(%d)", uint8(k))
}

// ValidateCode reports what is wrong with the functions of a setup, of which it asks each for
// something, and with the procs that it names. Every driver calls it first.
func (s *Setup) ValidateCode() error {
	if err := s.Validate(); err != nil {
		return err
	}
	if s.New == nil || s.NewMessage == nil {
		return fmt.Errorf("setup %s: New and NewMessage must be set, to what makes machines and "+
			"empty messages", s.Protocol)
	}
	if m, err := made(s.NewMessage); err != nil {
		return fmt.Errorf("setup %s: NewMessage %w", s.Protocol, err)
	} else if reflect.TypeOf(m).Kind() != reflect.Pointer {
		return fmt.Errorf("setup %s: NewMessage makes a %T, want a pointer to it, so that the "+
			"codec can fill it", s.Protocol, m)
	}
	for p := range s.Layout.Names {
		if _, err := made(func() Machine { return s.New(Proc(p)) }); err != nil {
			return fmt.Errorf("setup %s: New of proc %d (%s) %w", s.Protocol, p,
				s.Layout.Name(Proc(p)), err)
		}
	}
	return s.validateProcs()
}

// made calls what makes something, and says how it fails.
func made[T any](what func() T) (x T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panics: %v", r)
		}
	}()
	x = what()
	if v := reflect.ValueOf(x); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return x, errors.New("returns nil: every proc needs a machine, and every message a " +
			"value to be decoded into")
	}
	return x, nil
}

// validateProcs reports a proc that does not exist.
func (s *Setup) validateProcs() error {
	check := func(what string, list []Proc) error {
		i := slices.IndexFunc(list, func(p Proc) bool {
			return int(p) >= len(s.Layout.Names)
		})
		if i < 0 {
			return nil
		}
		return fmt.Errorf("setup %s: %s name proc %d, want one of 0 to %d", s.Protocol, what,
			list[i], len(s.Layout.Names)-1)
	}
	err := errors.Join(check("Watchers", s.Watchers), check("Initiators", s.Initiators),
		check("Local", s.Local), check("Spared", s.Spared), check("Certain", s.Certain),
		check("Alike", s.Alike))
	for p := range s.Layout.Names {
		if p := Proc(p); err == nil {
			err = check("Layout.Groups", s.Group(p))
			if err == nil && s.Reads != nil {
				err = check("Reads of proc "+s.Layout.Name(p), s.Reads(p))
			}
		}
	}
	return err
}
