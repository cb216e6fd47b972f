// Package server serves.
package server

import (
	"context"
	"net/http"
)

// MaxConns is how many.
const MaxConns = 10

const (
	// StateNew is new.
	StateNew State = iota
	StateActive
	StateClosed, StateGone = 1, 2
)

var ErrClosed = errors.New("closed")

var (
	registry = map[string]Handler{}
	mutex    sync.Mutex
	_, first = second()
	_        = third
)

// State is a state.
type State int

type (
	// Handler handles.
	Handler func(w http.ResponseWriter, r *http.Request)
	Alias   = map[string]string
)

// Server serves.
//
// It does.
type Server struct {
	addr string
	*http.Server
	handlers map[string]Handler
}

type Closer interface {
	// Close closes.
	Close(ctx context.Context) error
	http.Handler
	Name() string
}

type Set[T comparable] struct {
	items map[T]struct{}
}

// New makes one.
func New(
	addr string, // where
	opts ...Option,
) (*Server, error) {
	const local = 1
	var other = 2
	closure := func() {}
	type inner struct{}
	closure()
	return &Server{addr: addr}, nil
}

// Close closes.
func (s *Server) Close(ctx context.Context) error {
	go func() {
		s.stop()
	}()
	return nil
}

func (Server) Name() string { return "server" }

func (s *Set[T]) Add(item T) {
	s.items[item] = struct{}{}
}

func Map[T, U any](items []T, f func(T) U) []U {
	return nil
}

func init() {}

func init() {}

func größe() {}
