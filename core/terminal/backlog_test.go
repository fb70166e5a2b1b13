package terminal_test

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"termbay/core/terminal"
)

func TestAFloodPassesTheBacklogWholeAndInOrder(t *testing.T) {
	const size = 8 << 20
	random := rand.New(rand.NewPCG(1, 2))
	sent := make([]byte, size)
	for i := range sent {
		sent[i] = byte(random.Uint32())
	}
	b := terminal.NewBacklog()
	go func() { // ends with the bytes; joined by the loop below
		defer b.Close()
		for rest := sent; len(rest) > 0; {
			n := min(1+random.IntN(16<<10), len(rest))
			b.Put(rest[:n])
			rest = rest[n:]
		}
	}()
	got := make([]byte, 0, size)
	for p := b.Take(); p != nil; p = b.Take() {
		got = append(got, p...)
	}
	if !bytes.Equal(got, sent) {
		t.Errorf("%d bytes came out, not those %d that went in", len(got), len(sent))
	}
}

func TestAFullBacklogBlocksUntilItIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const piece = 10_000
		b := terminal.NewBacklog()
		put := 0
		go func() {
			for range 2 * terminal.MaxBacklog / piece {
				b.Put(make([]byte, piece))
				put += piece
			}
		}()
		synctest.Wait()
		if _, held := b.Kept(); held < terminal.MaxBacklog || held >= terminal.MaxBacklog+piece {
			t.Errorf("%d bytes wait, the limit is %d", held, terminal.MaxBacklog)
		}
		before := put
		if n := len(b.Take()); n != before {
			t.Errorf("%d of %d bytes were taken", n, before)
		}
		synctest.Wait()
		if put == before {
			t.Error("the reader waits although there is room")
		}
		b.Take()
	})
}

func TestClosingReleasesBothSides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		idle := terminal.NewBacklog()
		taken := false
		go func() { taken = idle.Take() == nil }()
		full := terminal.NewBacklog()
		put := false
		go func() {
			full.Put(make([]byte, terminal.MaxBacklog))
			full.Put([]byte("more"))
			full.Put([]byte("and more"))
			put = true
		}()
		synctest.Wait()
		if taken || put {
			t.Fatal("nobody waits")
		}
		idle.Close()
		full.Close()
		synctest.Wait()
		if !taken || !put {
			t.Errorf("released: taker %v, putter %v", taken, put)
		}
		if _, held := full.Kept(); held != terminal.MaxBacklog {
			t.Errorf("%d bytes wait for nobody: it grows although it is closed", held)
		}
		if n := len(full.Take()); n != terminal.MaxBacklog || full.Take() != nil {
			t.Errorf("%d bytes were left", n)
		}
	})
}

func TestTheBuffersOfAFloodGoOnceItIsCalm(t *testing.T) {
	b := terminal.NewBacklog()
	flood := func() {
		for range 5 { // both buffers have been large
			b.Put(make([]byte, terminal.MaxBacklog))
			b.Take()
		}
	}
	flood()
	if memory, _ := b.Kept(); memory < terminal.MaxBacklog {
		t.Errorf("%d bytes of memory are kept in the midst of a flood", memory)
	}
	for range terminal.CalmTakes + 2 {
		b.Put([]byte("calm"))
		b.Take()
	}
	if memory, _ := b.Kept(); memory > 2*terminal.KeepBacklog {
		t.Errorf("%d bytes of memory are kept after the flood", memory)
	}
}
