package guard

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"termbay/core"
)

const (
	tokenBytes   = 32      // random bytes in a token
	maxTokenFile = 4 << 10 // a longer file is no token
)

// checkToken compares in constant time.
func (rules Rules) checkToken(authorization string) *core.Error {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return &core.Error{Code: Unauthorized, Detail: "This call needs the token: send Authorization: Bearer <token>; termbay token prints it."}
	}
	token = strings.TrimSpace(token)
	if rules.Token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(rules.Token)) != 1 {
		return &core.Error{Code: Unauthorized, Detail: "The token was refused; termbay token prints the right one."}
	}
	return nil
}

// LoadToken is the token in the file at path. When there is no file it makes one: 32 random bytes as base64url,
// readable by its owner only. Links are not followed, and a file that others may read is refused.
func LoadToken(path string) (string, error) {
	token, err := readToken(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeToken(path)
	}
	return token, err
}

func makeToken(path string) (string, error) {
	secret := make([]byte, tokenBytes)
	rand.Read(secret) // never fails
	token := base64.RawURLEncoding.EncodeToString(secret)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) // O_EXCL follows no link
	if err != nil {
		return "", fmt.Errorf("create token: %w", err)
	}
	_, err = f.WriteString(token + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("write token: %w", errors.Join(err, os.Remove(path)))
	}
	return token, nil
}

func readToken(path string) (string, error) {
	f, err := openNoFollow(path)
	if err != nil {
		return "", fmt.Errorf("open token: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", fmt.Errorf("open token: %w", err)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("the token %s is not a regular file; remove it and start again", path)
	case !private(info):
		return "", fmt.Errorf("others may read the token %s; run: chmod 600 %s", path, path)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxTokenFile))
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", fmt.Errorf("the file %s holds no token; remove it and start again", path)
	}
	return token, nil
}
