package diskcache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Limits of a store.
const (
	MaxEntry = 256 << 20 // bytes of an entry
	maxTotal = 1 << 30   // bytes of all
	maxFiles = 10_000
)

const (
	suffix     = ".entry"
	tempSuffix = ".tmp"
	// used is how long an entry counts as just used: its time is not changed at
	// every use.
	used = time.Hour
	// abandoned is when what a process wrote and did not rename is nobody's.
	abandoned = time.Hour
)

// A Store is a folder of entries. It may be nil, and keeps nothing then.
type Store struct {
	dir   string
	log   *slog.Logger
	total int64
}

// Open returns the store in a folder, which the first Put makes. log may be nil.
func Open(dir string, log *slog.Logger) *Store {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Store{dir: dir, log: log, total: maxTotal}
}

// A file of an entry has, one after the other: the magic, a Key, the fingerprint of
// the entry under it, the SHA-256 of the entry's name, the entry.
const (
	magic      = "skills\x00\x01"
	keyAt      = len(magic)
	sumAt      = keyAt + len(Key{})
	nameAt     = sumAt + len(Fingerprint{})
	headerSize = nameAt + sha256.Size
)

func (s *Store) path(id [sha256.Size]byte) string {
	return filepath.Join(s.dir, hex.EncodeToString(id[:])+suffix)
}

// Get returns the entry of a name, or nil.
func (s *Store) Get(name string) []byte {
	if s == nil {
		return nil
	}
	id := sha256.Sum256([]byte(name))
	data, err := s.read(s.path(id))
	if err == nil {
		data, err = open(data, id)
	}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.log.Debug("an entry of the cache is not used", "folder", s.dir, "error", err)
		}
		return nil
	}
	return data
}

// open returns the entry in a file.
func open(file []byte, id [sha256.Size]byte) ([]byte, error) {
	if len(file) < headerSize || string(file[:keyAt]) != magic {
		return nil, errors.New("it is no entry of this version")
	}
	if [sha256.Size]byte(file[nameAt:headerSize]) != id {
		return nil, errors.New("it is the entry of another name")
	}
	data := file[headerSize:]
	if Key(file[keyAt:sumAt]).Of(data) != Fingerprint(file[sumAt:nameAt]) {
		return nil, errors.New("it is damaged")
	}
	return data, nil
}

func (s *Store) read(path string) ([]byte, error) {
	if err := s.checkFolder(); err != nil {
		return nil, err
	}
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, errors.New("it is no regular file")
	case info.Size() > MaxEntry+int64(headerSize):
		return nil, fmt.Errorf("it has %d bytes, more than the limit", info.Size())
	}
	if err := private(info); err != nil {
		return nil, err
	}
	data := make([]byte, info.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, err
	}
	if now := time.Now(); now.Sub(info.ModTime()) > used {
		_ = os.Chtimes(path, now, now) // what is used last goes last
	}
	return data, nil
}

// checkFolder refuses a folder in which others may write: what they put there
// would become skills.
func (s *Store) checkFolder() error {
	info, err := os.Stat(s.dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return errors.New("it is no folder")
	}
	return private(info)
}

// Put keeps an entry in the place of the one that its name had.
func (s *Store) Put(name string, data []byte) {
	if s == nil {
		return
	}
	if err := s.write(name, data); err != nil {
		s.log.Debug("nothing is written to the cache", "folder", s.dir, "error", err)
	}
}

func (s *Store) write(name string, data []byte) error {
	if len(data) > MaxEntry {
		return fmt.Errorf("an entry has %d bytes, more than the limit", len(data))
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	if err := s.checkFolder(); err != nil {
		return err
	}
	id := sha256.Sum256([]byte(name))
	key := NewKey()
	sum := key.Of(data)
	header := slices.Concat([]byte(magic), key[:], sum[:], id[:])
	f, err := os.CreateTemp(s.dir, "*"+tempSuffix)
	if err != nil {
		return err
	}
	_, err = f.Write(header)
	if err == nil {
		_, err = f.Write(data)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	if err := os.Rename(f.Name(), s.path(id)); err != nil {
		_ = os.Remove(f.Name())
		return err
	}
	return s.tidy(filepath.Base(s.path(id)))
}

// tidy removes the entries that were not used for longest, until the rest keeps to
// the limits, and what was left half written. It touches no other file, and not the
// entry keep.
func (s *Store) tidy(keep string) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	total := int64(0)
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // another process removed it
		}
		switch name := e.Name(); {
		case strings.HasSuffix(name, tempSuffix):
			if time.Since(info.ModTime()) > abandoned {
				_ = os.Remove(filepath.Join(s.dir, name))
			}
		case strings.HasSuffix(name, suffix):
			total += info.Size()
			if name != keep {
				files = append(files, info)
			}
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for i := 0; i < len(files) && (total > s.total || len(files)-i >= maxFiles); i++ {
		if os.Remove(filepath.Join(s.dir, files[i].Name())) == nil {
			total -= files[i].Size()
		}
	}
	return nil
}
