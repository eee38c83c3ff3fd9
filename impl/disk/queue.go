package disk

import "sync"

// Queue commits in the background, so that whoever persists goes on with its work: while one group is being synced the next one
// comes together. All its methods may be called by any goroutine.
type Queue struct {
	store *Store
	done  func(key string, err error)
	limit int

	mu      sync.Mutex
	changed sync.Cond
	waiting []change
	bytes   int  // of the values that wait
	taken   bool // a group is being committed
	closed  bool
	err     error
	ended   chan struct{}
}

// change is one put, or a delete when the value is nil.
type change struct {
	key   string
	value []byte
}

// NewQueue begins to commit to the store, which belongs to the queue from now on. done is told of every put, in order, when it is
// stable or has failed; after the first failure nothing more becomes stable. done is called by a goroutine of the queue and must not call it. Values that
// wait are limited to limit bytes, or one value: Put blocks until there is room.
func NewQueue(store *Store, limit int, done func(key string, err error)) *Queue {
	q := &Queue{store: store, done: done, limit: limit, ended: make(chan struct{})}
	q.changed.L = &q.mu
	go q.run()
	return q
}

// Put writes a record. The value must not change until done is called for it.
func (q *Queue) Put(key string, value []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) > 0 && q.bytes+len(value) > q.limit && !q.closed {
		q.changed.Wait()
	}
	if value == nil {
		value = []byte{}
	}
	q.add(change{key, value})
}

// Delete removes a record and waits until that, and with it everything before, is stable: a deletion is not undone by a crash that comes after it.
func (q *Queue) Delete(key string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(change{key: key})
	for (len(q.waiting) > 0 || q.taken) && q.err == nil {
		q.changed.Wait()
	}
	return q.err
}

// add is for who holds the lock.
func (q *Queue) add(c change) {
	if q.closed {
		panic("invariant: a queue that was closed is not used any more")
	}
	q.waiting = append(q.waiting, c)
	q.bytes += len(c.value)
	q.changed.Broadcast()
}

// Close commits what waits and closes the store. It returns the first failure.
func (q *Queue) Close() error {
	q.mu.Lock()
	if !q.closed {
		q.closed = true
		q.changed.Broadcast()
	}
	q.mu.Unlock()
	<-q.ended
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.store.Close(); q.err == nil {
		q.err = err
	}
	return q.err
}

// run commits groups until the queue is closed and empty.
func (q *Queue) run() {
	defer close(q.ended)
	for {
		q.mu.Lock()
		for len(q.waiting) == 0 && !q.closed {
			q.changed.Wait()
		}
		group := q.waiting
		q.waiting, q.bytes, q.taken = nil, 0, len(group) > 0
		q.changed.Broadcast()
		q.mu.Unlock()
		if len(group) == 0 {
			return
		}
		err := q.commit(group)
		for _, c := range group {
			if c.value != nil {
				q.done(c.key, err)
			}
		}
		q.mu.Lock()
		q.taken = false
		if q.err == nil {
			q.err = err
		}
		q.changed.Broadcast()
		q.mu.Unlock()
	}
}

func (q *Queue) commit(group []change) (err error) {
	for _, c := range group {
		if c.value == nil {
			err = q.store.Delete(c.key)
		} else {
			err = q.store.Put(c.key, c.value)
		}
		if err != nil {
			return err
		}
	}
	return q.store.Commit()
}
