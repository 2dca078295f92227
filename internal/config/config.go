// Package config reads the program's settings from environment variables.
//
// Each setting is one field of Config: its tags hold the variable's name, its
// default and its documentation, from which docs/configuration.md and
// .env.example are made.
package config

import (
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Config holds all settings. What 0 means for a duration or a size, the
// documentation of the setting says.
type Config struct {
	APIKey     Secret `env:"OUTLINE_API_KEY" doc:"API key of Outline (Settings, API). Without one the tools are listed, and each call says how to set it."`
	APIKeyFile string `env:"OUTLINE_API_KEY_FILE" doc:"File that holds the API key instead, such as a mounted secret."`
	APIURL     string `env:"OUTLINE_API_URL" envDefault:"https://app.getoutline.com/api" doc:"Where Outline is, with or without /api."`
	URLAliases Names  `env:"OUTLINE_URL_ALIASES" doc:"Other hosts of the same Outline in the URLs of its documents, such as wiki.example.com, separated by commas. URLs of any other host are refused."`

	VerifySSL bool   `env:"OUTLINE_VERIFY_SSL" envDefault:"true" doc:"Check Outline's TLS certificate. Off, anyone between here and Outline can read the key."`
	CAFile    string `env:"OUTLINE_CA_FILE" doc:"PEM file with certificates to trust besides the system's."`

	StructuredOutput bool `env:"OUTLINE_STRUCTURED_OUTPUT" envDefault:"false" doc:"Declare an outputSchema on each tool and answer with structured content beside the text."`
	MaxResponseChars int  `env:"OUTLINE_MAX_RESPONSE_CHARS" envDefault:"40000" min:"10000" zero:"true" doc:"Most characters of text in an answer; a longer one is cut and says how to go on. At least 10000, or 0 for no limit. Some clients cut at about 50000; with more, the tools that read ask them to show all, up to 500000 (anthropic/maxResultSizeChars in _meta)."`

	ReadOnly       bool  `env:"OUTLINE_READ_ONLY" envDefault:"false" doc:"Offer only tools that read."`
	DisableDelete  bool  `env:"OUTLINE_DISABLE_DELETE" envDefault:"false" doc:"Offer no tools that delete."`
	DisableAITools bool  `env:"OUTLINE_DISABLE_AI_TOOLS" envDefault:"false" doc:"Do not offer the tool that asks Outline's own AI."`
	Tools          Names `env:"OUTLINE_TOOLS" doc:"Tools or groups to offer, separated by commas; all if empty. Groups are search, reading, documents, lifecycle, comments, collections, batch and ai."`
	ExcludeTools   Names `env:"OUTLINE_EXCLUDE_TOOLS" doc:"Tools or groups to leave out, separated by commas."`

	DynamicToolList bool `env:"OUTLINE_DYNAMIC_TOOL_LIST" envDefault:"false" doc:"List only the tools that the role and the scopes of the caller's key allow, as far as Outline tells them. Asked once a minute for each key."`

	BatchConcurrency int `env:"OUTLINE_BATCH_CONCURRENCY" envDefault:"4" max:"16" doc:"How many items of a batch are worked on at a time, 1 to 16. Moves and permanent deletes always go one at a time."`

	CallTimeout    time.Duration `env:"OUTLINE_CALL_TIMEOUT" envDefault:"50s" max:"1h" doc:"Longest that a tool call may take, at most 1h. Clients commonly give up after 60s."`
	RequestTimeout time.Duration `env:"OUTLINE_REQUEST_TIMEOUT" envDefault:"20s" max:"1h" doc:"Longest that one request to Outline may take, at most 1h; a call can make several."`
	MaxRetries     int           `env:"OUTLINE_MAX_RETRIES" envDefault:"3" max:"10" zero:"true" doc:"How often a request that is safe to repeat is repeated after a lost connection, a status 502, 503 or 504, or a rate limit. 0 to 10."`
	MaxRetryWait   time.Duration `env:"OUTLINE_MAX_RETRY_WAIT" envDefault:"20s" max:"1h" doc:"Longest wait that a rate limit may ask for before the call fails instead, at most 1h. Never longer than the call may take."`
	MaxAnswerBytes Bytes         `env:"OUTLINE_MAX_ANSWER_BYTES" envDefault:"32MiB" min:"64KiB" doc:"Largest answer that is read from Outline. At least 64KiB."`

	Transport Transport `env:"MCP_TRANSPORT" envDefault:"stdio" doc:"How clients reach the server: stdio for one client that starts it, http (Streamable HTTP) for a team. HTTP+SSE of 2024 is deprecated by the protocol and not served."`
	Host      string    `env:"MCP_HOST" envDefault:"127.0.0.1" doc:"Address to listen on with http; 0.0.0.0 for all. Beyond loopback an OUTLINE_API_KEY must be guarded by MCP_AUTH_TOKENS."`
	Port      int       `env:"MCP_PORT" envDefault:"3000" max:"65535" zero:"true" doc:"Port to listen on with http; 0 takes a free one."`
	Path      string    `env:"MCP_PATH" envDefault:"/mcp" doc:"Path of the MCP endpoint. /health, /ready and /metrics are taken."`

	AuthTokens     Secrets `env:"MCP_AUTH_TOKENS" doc:"Tokens, separated by commas, of which each request over http needs one: in X-MCP-Token, or as Authorization: Bearer with the Outline key in X-Outline-API-Key."`
	AuthTokensFile string  `env:"MCP_AUTH_TOKENS_FILE" doc:"File that holds the tokens instead, one a line."`
	AllowAnonymous bool    `env:"MCP_ALLOW_ANONYMOUS" envDefault:"false" doc:"Let everyone who reaches the server beyond loopback act with OUTLINE_API_KEY, without a token."`
	AllowedOrigins Names   `env:"MCP_ALLOWED_ORIGINS" doc:"Origins of web pages that may call the server, such as https://app.example.com, separated by commas."`
	AllowedHosts   Names   `env:"MCP_ALLOWED_HOSTS" doc:"Hosts under which the server may be called, such as mcp.example.com, separated by commas. On loopback localhost always may; elsewhere any may as long as this is empty."`

	MaxBody        Bytes         `env:"MCP_MAX_BODY" envDefault:"8MiB" min:"1KiB" doc:"Largest request over http. At least 1KiB."`
	MaxCalls       int           `env:"MCP_MAX_CALLS" envDefault:"256" max:"100000" doc:"Most calls at a time over http. One more is told to come again (503)."`
	MaxCallsPerKey int           `env:"MCP_MAX_CALLS_PER_KEY" envDefault:"64" max:"100000" doc:"Most calls at a time over http with one Outline key. One more is told to come again (429)."`
	ShutdownGrace  time.Duration `env:"MCP_SHUTDOWN_GRACE" envDefault:"55s" max:"1h" zero:"true" doc:"How long calls over http may take to end when the server is told to (SIGTERM), at most 1h."`

	TLSCert     string `env:"MCP_TLS_CERT" doc:"PEM file with the certificate for https, read again when it changes. Without one a proxy has to encrypt."`
	TLSKey      string `env:"MCP_TLS_KEY" doc:"PEM file with the private key of MCP_TLS_CERT."`
	MetricsAddr string `env:"MCP_METRICS_ADDR" doc:"Address and port for /metrics, such as 127.0.0.1:9090, in place of the one of the MCP endpoint."`

	LogLevel  slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"What is logged to standard error: debug, info, warn or error. Keys, arguments and document text never are."`
	LogFormat Format     `env:"LOG_FORMAT" envDefault:"text" doc:"How log lines look: text or json."`

	// Warnings are about settings that work but are probably a mistake. A text
	// continues a sentence that begins with the setting's name.
	Warnings []Problem `env:"-"`
}

// Format is how log lines look: "text" or "json".
type Format string

// A Check returns problems that only another package can find.
type Check func(Config) []Problem

// Load reads the settings from variables in the form of os.Environ. An empty
// variable counts as unset, because AI clients pass empty ones; quotes and
// spaces around a value are dropped.
//
// The error is an [*Error] with all problems, those of the checks included.
func Load(environ []string, checks ...Check) (Config, error) {
	report := Examine(environ, checks...)
	if len(report.Problems) > 0 {
		return Config{}, &Error{report.Problems}
	}
	return report.Config, nil
}

// valuesOf returns the variables that are set, by their names.
func valuesOf(environ []string) map[string]string {
	given := map[string]string{}
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if value = clean(value); value != "" {
			given[name] = value
		} else {
			delete(given, name) // of two with the same name the later one counts
		}
	}
	return given
}

// clean returns a value without the spaces and quotes around it.
func clean(value string) string {
	value = strings.TrimSpace(value)
	for _, quote := range []string{`"`, `'`} {
		if len(value) >= 2 && strings.HasPrefix(value, quote) && strings.HasSuffix(value, quote) {
			value = strings.TrimSpace(value[1 : len(value)-1])
		}
	}
	return value
}

// parse reads the settings from variables. A setting that cannot be read has a
// problem, and its default.
func parse(given map[string]string) (Config, problems) {
	parsers := map[reflect.Type]env.ParserFunc{}
	for t, described := range valueTypes() {
		parsers[t] = described.parse
	}
	c, err := env.ParseAsWithOptions[Config](env.Options{Environment: given, FuncMap: parsers})
	if err == nil {
		return c, nil
	}
	var found problems
	var all env.AggregateError
	errors.As(err, &all)
	for _, one := range all.Errors {
		// The library's own messages show raw values and Go's names of types.
		var invalid env.ParseError
		if !errors.As(one, &invalid) {
			panic(fmt.Sprintf("config: %v", one)) // a mistake in Config
		}
		field, _ := reflect.TypeFor[Config]().FieldByName(invalid.Name)
		name := field.Tag.Get("env")
		found.add(name, "%q is %s; write %s", shorten(given[name]), typeOf(field.Type).invalid, example(field))
	}
	c.useDefaults(found)
	return c, found
}

// useDefaults sets each setting with a problem to its default.
func (c *Config) useDefaults(found problems) {
	if len(found) == 0 {
		return
	}
	defaults, _ := parse(map[string]string{}) // nil would be the environment of the process
	settings := reflect.ValueOf(c).Elem()
	for i := range settings.NumField() {
		if found.concern(settings.Type().Field(i).Tag.Get("env")) {
			settings.Field(i).Set(reflect.ValueOf(defaults).Field(i))
		}
	}
}

// checkRanges reports numbers outside the limits of their tags.
func (c *Config) checkRanges(found *problems) {
	value := reflect.ValueOf(*c)
	for i := range value.NumField() {
		field := value.Type().Field(i)
		if !value.Field(i).CanInt() || field.Type == reflect.TypeFor[slog.Level]() {
			continue
		}
		number := value.Field(i).Int()
		least, most := limits(field)
		zero := number == 0 && field.Tag.Get("zero") == "true"
		if (number < least || number > most) && !zero {
			found.add(field.Tag.Get("env"), "%v is out of range; write %s", value.Field(i).Interface(), example(field))
		}
	}
}
