// Package shop sells.
package shop

import (
	"fmt"
	str "strings"
)

// Shop sells things.
// In two lines.
type Shop struct {
	Base
	Name, city string
}

type (
	// Opener opens.
	Opener interface {
		Closer
		Open(hour int) error
	}
	ID = string
	List[T any] []T
)

const (
	Limit, max = 10, 20
)

var count int

// Sell sells.
func (s *Shop) Sell(t Thing) (r Receipt, err error) {
	inner := func() {}
	fmt.Println(len(t.Name))
	return s.clock.Ask(), nil
}

func (l List[T]) size() int { return build(&Other{}) }

func New() *Shop { return nil }
