package config

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"outline-mcp/internal/text"
	"outline-mcp/outline"
)

// Secret is a value that printing, logging and encoding do not show: they write
// **** and its last four characters, or **** alone if the value is short.
type Secret string

// Reveal returns the value itself.
func (s Secret) Reveal() string { return string(s) }

// String implements fmt.Stringer.
func (s Secret) String() string {
	switch {
	case s == "":
		return ""
	case len(s) < 12:
		return "****"
	}
	return "****" + string(s[len(s)-4:])
}

// GoString implements fmt.GoStringer.
func (s Secret) GoString() string { return s.String() }

// Format implements fmt.Formatter, for all verbs.
func (s Secret) Format(state fmt.State, _ rune) { fmt.Fprint(state, s.String()) }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText implements encoding.TextMarshaler, which encoding/json uses too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Secrets is a list of secrets, written with commas or line breaks between them.
type Secrets []Secret

// ParseSecrets reads a list of secrets. It ignores spaces around them and empty
// entries. An empty list is an error.
func ParseSecrets(s string) (Secrets, error) { return parseList[Secret](s, ",\n\r") }

// parseList reads a list of values with one of the separators between them.
func parseList[T ~string](s, separators string) ([]T, error) {
	var all []T
	for one := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, T(one))
		}
	}
	if len(all) == 0 {
		return nil, errors.New("the list is empty")
	}
	return all, nil
}

// Transport is how clients reach the server: "stdio" or "http".
type Transport string

// The transports.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
)

// ParseTransport reads a transport. streamable-http is another name of http.
func ParseTransport(s string) (Transport, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "stdio":
		return Stdio, nil
	case "http", "streamable-http":
		return HTTP, nil
	}
	return "", fmt.Errorf("%q is not a transport", s)
}

// Bytes is a size, written as "8MiB", "32 MB" or in bytes.
type Bytes int64

// Names is a list of names, written with commas between them.
type Names []string

// ParseNames reads a list of names in lower case. It ignores spaces around them
// and empty entries. An empty list is an error.
func ParseNames(s string) (Names, error) { return parseList[string](strings.ToLower(s), ",") }

// Strings is a list of values whose case matters, written with commas between them.
type Strings []string

// ParseStrings reads a list of values. It ignores spaces around them and empty
// entries. An empty list is an error.
func ParseStrings(s string) (Strings, error) { return parseList[string](s, ",") }

// units are the units of sizes, longer names first.
var units = []struct {
	name string
	size int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"b", 1},
}

// ParseBytes reads a size in bytes or with a unit: KiB, MiB and GiB are powers
// of 1024, KB, MB and GB powers of 1000.
func ParseBytes(s string) (Bytes, error) {
	number, factor := strings.ToLower(strings.TrimSpace(s)), int64(1)
	for _, unit := range units {
		if rest, ok := strings.CutSuffix(number, unit.name); ok {
			number, factor = strings.TrimSpace(rest), unit.size
			break
		}
	}
	value, err := strconv.ParseInt(number, 10, 64)
	if err != nil || value < 0 || value > math.MaxInt64/factor {
		return 0, fmt.Errorf("%q is not a size", s)
	}
	return Bytes(value * factor), nil
}

func parseBool(s string) (bool, error) {
	value, ok := text.ParseBool(s)
	if !ok {
		return false, fmt.Errorf("%q is neither true nor false", s)
	}
	return value, nil
}

// ParseDuration reads a duration with a unit, such as 30s, or in seconds.
func ParseDuration(s string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(strings.TrimSpace(s), 64); err == nil && seconds >= 0 && seconds < 1e9 {
		return time.Duration(seconds * float64(time.Second)), nil
	}
	return time.ParseDuration(strings.TrimSpace(s))
}

// valueType describes the values of settings of one Go type.
type valueType struct {
	name    string // in documentation
	invalid string // completes "the value is" for a value that parse rejects
	example string // completes "use"; "" if it depends on the limits of the setting
	parse   env.ParserFunc
}

// typeOf returns the description of a type of settings. Text, which needs no
// parser, is the zero value with a name.
func typeOf(t reflect.Type) valueType {
	switch t {
	case reflect.TypeFor[bool]():
		return valueType{"boolean", "neither true nor false", "true or false", parser(parseBool)}
	case reflect.TypeFor[int]():
		return valueType{"whole number", "not a whole number", "", parser(parseInt)}
	case reflect.TypeFor[time.Duration]():
		return valueType{"duration", "not a duration", "", parser(ParseDuration)}
	case reflect.TypeFor[Bytes]():
		return valueType{"size", "not a size", "", parser(ParseBytes)}
	case reflect.TypeFor[Names]():
		return valueType{"list", "an empty list", "names separated by commas", parser(ParseNames)}
	case reflect.TypeFor[Strings]():
		return valueType{"list", "an empty list", "values separated by commas", parser(ParseStrings)}
	case reflect.TypeFor[Secrets]():
		return valueType{"list", "an empty list", "values separated by commas", parser(ParseSecrets)}
	case reflect.TypeFor[slog.Level]():
		return valueType{"level", "not a log level", "debug, info, warn or error", parser(parseLevel)}
	case reflect.TypeFor[Format]():
		return valueType{"format", "not a log format", "text or json", parser(oneOf[Format]("text", "json"))}
	case reflect.TypeFor[Confirm]():
		return valueType{"choice", "not one of the choices", "off, deletes or writes", parser(oneOf[Confirm]("off", "deletes", "writes"))}
	case reflect.TypeFor[Fallback]():
		return valueType{"choice", "not one of the choices", "refuse or allow", parser(oneOf[Fallback]("refuse", "allow"))}
	case reflect.TypeFor[StructuredText]():
		return valueType{"choice", "not one of the choices", "auto, short or full", parser(oneOf[StructuredText]("auto", "short", "full"))}
	case reflect.TypeFor[Views]():
		return valueType{"choice", "not one of the choices", "auto, on or off", parser(oneOf[Views]("auto", "on", "off"))}
	case reflect.TypeFor[OTLPProtocol]():
		return valueType{"choice", "not a protocol that this server can send", "http/protobuf, which collectors serve on port 4318", parser(oneOf[OTLPProtocol]("http/protobuf"))}
	case reflect.TypeFor[OTelExporter]():
		return valueType{"choice", "not one of the choices", "otlp or none", parser(oneOf[OTelExporter]("otlp", "none"))}
	case reflect.TypeFor[Transport]():
		return valueType{"transport", "not a transport", "stdio or http (HTTP+SSE is not supported)", parser(ParseTransport)}
	}
	return valueType{name: "text"}
}

func parser[T any](parse func(string) (T, error)) env.ParserFunc {
	return func(s string) (any, error) { return parse(s) }
}

func parseInt(s string) (int, error) {
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err
}

func parseLevel(s string) (slog.Level, error) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "warning": slog.LevelWarn, "error": slog.LevelError}
	level, ok := levels[strings.ToLower(s)]
	if !ok {
		return 0, fmt.Errorf("%q is not a log level", s)
	}
	return level, nil
}

// oneOf returns a function that reads one of several words, in upper or lower case.
func oneOf[T ~string](words ...T) func(string) (T, error) {
	return func(s string) (T, error) {
		if word := T(strings.ToLower(strings.TrimSpace(s))); slices.Contains(words, word) {
			return word, nil
		}
		return "", fmt.Errorf("unknown value %q; use one of %v", s, words)
	}
}

// example returns what to use as the value of a setting.
func example(field reflect.StructField) string {
	if fixed := typeOf(field.Type).example; fixed != "" {
		return fixed
	}
	least, most := limits(field)
	orZero := ""
	if field.Tag.Get("zero") == "true" {
		orZero = ", or 0"
	}
	switch {
	case field.Type == reflect.TypeFor[time.Duration]():
		return fmt.Sprintf("a duration such as %s, more than 0 and at most %s", field.Tag.Get("envDefault"), field.Tag.Get("max")) + orZero
	case field.Type == reflect.TypeFor[Bytes]():
		return fmt.Sprintf("a size such as %s, at least %s", field.Tag.Get("envDefault"), field.Tag.Get("min"))
	case most == math.MaxInt64:
		return fmt.Sprintf("a whole number of at least %d", least) + orZero
	}
	return fmt.Sprintf("a whole number from %d to %d", least, most) + orZero
}

// limits returns the range that a field's tags min and max allow, which are
// written like values of the setting. The defaults are 1 and no upper limit.
func limits(field reflect.StructField) (least, most int64) {
	least, most = 1, math.MaxInt64
	for tag, limit := range map[string]*int64{"min": &least, "max": &most} {
		written, ok := field.Tag.Lookup(tag)
		if !ok {
			continue
		}
		value, err := typeOf(field.Type).parse(written)
		if err != nil {
			panic(fmt.Sprintf("config: the %s of %s: %v", tag, field.Name, err)) // a mistake in Config
		}
		*limit = reflect.ValueOf(value).Int()
	}
	return least, most
}

// shorten returns the beginning of a value for a message, without API keys.
func shorten(value string) string {
	return text.Truncate(outline.Redact(value), 60)
}

// leastSecret is the length of the shortest secret from which keys are derived, in
// bytes.
const leastSecret = 32

// checkSecret reports a secret that cannot be one. If a file is named, it reads the
// secret from there. The setting of the file is that of the secret with _FILE.
func (c *Config) checkSecret(found *problems, setting string, value *Secret, file string, least int) {
	if err := c.validateSecret(*value, least); *value != "" && file == "" && err != nil {
		found.add(setting, "%s", err)
	}
	found.readFile(setting, file, *value != "", func() error {
		content, err := readLimited(file, "value", maxKeyFile, "")
		if err != nil {
			return fmt.Errorf("%w; set the path of a file that contains only the value", err)
		}
		secret := Secret(strings.TrimSpace(content))
		if err = c.validateSecret(secret, least); err == nil {
			*value = secret
		}
		return err
	})
}

// validateSecret returns an error that says why a secret cannot be used and what to
// do, without showing it.
func (c *Config) validateSecret(secret Secret, least int) error {
	const create = "create one with: openssl rand -hex 32"
	switch value := secret.Reveal(); {
	case value == "":
		return errors.New("the file is empty; write the value into it")
	case strings.ContainsAny(value, "${}<>"):
		return errors.New("it is a placeholder or an unexpanded variable; replace it with the actual value")
	case len(value) < least:
		return fmt.Errorf("it has fewer than %d characters; %s", least, create)
	case secret == c.APIKey && least > 0:
		return errors.New("it is the same as OUTLINE_API_KEY; " + create)
	}
	return nil
}
