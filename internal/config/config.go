// Package config reads the program's settings from environment variables.
//
// Each setting is one field of Config: its tags hold the variable's name, its
// default and its documentation, from which docs/configuration.md and
// .env.example are made.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Config holds all settings. The documentation of a setting says what 0 means.
type Config struct {
	APIKey     Secret `env:"OUTLINE_API_KEY" doc:"API key, created in Outline under Settings → API & Apps (older versions: Settings → API). Without a key, a server on stdio acts with the login of outline-mcp login; without either, tools are listed and each call says what to do."`
	APIKeyFile string `env:"OUTLINE_API_KEY_FILE" doc:"File that contains the API key, such as a mounted secret. Use it instead of OUTLINE_API_KEY."`
	APIURL     string `env:"OUTLINE_API_URL" envDefault:"https://app.getoutline.com/api" doc:"Address of Outline, with or without /api."`
	URLAliases Names  `env:"OUTLINE_URL_ALIASES" doc:"Other host names of the same Outline, such as wiki.example.com, separated by commas. Document URLs with any other host are rejected."`

	LoginClientID string `env:"OUTLINE_OAUTH_CLIENT_ID" doc:"Client ID of a public OAuth application in Outline, which outline-mcp login uses instead of registering one. docs/clients.md lists the redirect URIs that it needs."`

	VerifySSL bool   `env:"OUTLINE_VERIFY_SSL" envDefault:"true" doc:"Verify Outline's TLS certificate. If this is off, anyone on the network path to Outline can read the key."`
	CAFile    string `env:"OUTLINE_CA_FILE" doc:"PEM file with certificates to trust in addition to the system's, reloaded when it changes."`

	ClientCert  string `env:"OUTLINE_CLIENT_CERT" doc:"PEM file with the certificate for mutual TLS with Outline or the gateway in front of it, reloaded when it changes."`
	ClientKey   string `env:"OUTLINE_CLIENT_KEY" doc:"PEM file with the private key of OUTLINE_CLIENT_CERT."`
	Headers     Secret `env:"OUTLINE_HEADERS" doc:"Headers for each request to Outline, such as CF-Access-Client-Id: abc.access; CF-Access-Client-Secret: 123, separated by semicolons or line breaks. They go to no other server and are never shown."`
	HeadersFile string `env:"OUTLINE_HEADERS_FILE" doc:"File that contains the headers, one per line, reloaded when it changes. Use it instead of OUTLINE_HEADERS."`

	StructuredOutput bool `env:"OUTLINE_STRUCTURED_OUTPUT" envDefault:"false" doc:"Declare an outputSchema for each tool and return structured content in addition to text."`
	MaxResponseChars int  `env:"OUTLINE_MAX_RESPONSE_CHARS" envDefault:"40000" min:"10000" zero:"true" doc:"Maximum number of characters of text in an answer; a longer one is cut and says how to read on. At least 10000, or 0 for no limit. Some clients cut at about 50000; above that, tools that read ask clients to show up to 500000 (anthropic/maxResultSizeChars in _meta)."`

	ReadOnly       bool  `env:"OUTLINE_READ_ONLY" envDefault:"false" doc:"Offer only tools that read."`
	DisableDelete  bool  `env:"OUTLINE_DISABLE_DELETE" envDefault:"false" doc:"Offer no tools that delete."`
	DisableAITools bool  `env:"OUTLINE_DISABLE_AI_TOOLS" envDefault:"false" doc:"Do not offer the tool that asks Outline's built-in AI."`
	Tools          Names `env:"OUTLINE_TOOLS" doc:"Tools or groups to offer, separated by commas. default means the tools that are offered when this is empty, essential a few for clients that load all definitions at once, and all every tool; default,list_trash adds one tool to the defaults. Groups are search, reading, documents, history, lifecycle, comments, collections, files, templates, people, batch, ai and chatgpt."`
	ExcludeTools   Names `env:"OUTLINE_EXCLUDE_TOOLS" doc:"Tools or groups not to offer, separated by commas."`

	Collections        Strings `env:"OUTLINE_COLLECTIONS" doc:"Collections that callers can see, separated by commas; all if empty. Each is a UUID, a URL id or a name; a name that matches no collection, or several, allows nothing. Everything else looks as if it did not exist."`
	ExcludeCollections Strings `env:"OUTLINE_EXCLUDE_COLLECTIONS" doc:"Collections that callers cannot see, in the same form, even if OUTLINE_COLLECTIONS names them. Use UUIDs: a name stops matching when the collection is renamed."`
	WriteCollections   Strings `env:"OUTLINE_WRITE_COLLECTIONS" doc:"Collections that callers can change, in the same form; all that they can see if empty."`
	AllowDrafts        bool    `env:"OUTLINE_ALLOW_DRAFTS" envDefault:"true" doc:"Let callers work with their own drafts outside of collections."`

	Confirm         Confirm  `env:"OUTLINE_CONFIRM" envDefault:"off" doc:"Which calls the user must confirm; the question shows what would happen. off: none. deletes: calls that delete. writes: all calls that change something. Needs a client with elicitation."`
	ConfirmFallback Fallback `env:"OUTLINE_CONFIRM_FALLBACK" envDefault:"refuse" doc:"What happens to such calls if the client cannot ask: refuse or allow. Over HTTP, only clients with protocol version 2026-07-28 can ask."`

	DynamicToolList bool `env:"OUTLINE_DYNAMIC_TOOL_LIST" envDefault:"false" doc:"List only the tools that the role and scopes of the caller's key allow, as far as Outline reveals them. Checked at most once a minute per key."`

	Views Views `env:"OUTLINE_VIEWS" envDefault:"auto" doc:"Views of documents, differences and search results for clients with MCP Apps: auto for clients that declare support, on for all clients, off for none."`

	ToolIcons bool `env:"OUTLINE_TOOL_ICONS" envDefault:"false" doc:"Send an icon for each tool, for clients that show them. It makes the list of tools about 15 KB longer."`

	SkillsCollection  string `env:"OUTLINE_SKILLS_COLLECTION" doc:"Collection whose documents become skills (SEP-2640) for the callers who can see it: its UUID, its URL id or its name. Documents below one are the files of its skill. Whoever can write in it decides what these skills say."`
	PromptsCollection string `env:"OUTLINE_PROMPTS_COLLECTION" doc:"Collection whose documents become prompts for the callers who can see it: its UUID, its URL id or its name. Whoever can write in it decides what these prompts say."`

	FilesDir string `env:"OUTLINE_FILES_DIR" doc:"Folder of this machine in which tools can read and write files, on stdio and on the command line; all folders if empty. Over HTTP, no tool takes a path."`

	BatchConcurrency int `env:"OUTLINE_BATCH_CONCURRENCY" envDefault:"4" max:"16" doc:"Number of batch items processed at a time, 1 to 16. Moves and permanent deletions always run one at a time."`

	CallTimeout    time.Duration `env:"OUTLINE_CALL_TIMEOUT" envDefault:"50s" max:"1h" doc:"Time limit for a tool call, at most 1h. Clients commonly give up after 60s."`
	RequestTimeout time.Duration `env:"OUTLINE_REQUEST_TIMEOUT" envDefault:"20s" max:"1h" doc:"Time limit for one request to Outline, at most 1h; a call can make several."`
	MaxRetries     int           `env:"OUTLINE_MAX_RETRIES" envDefault:"3" max:"10" zero:"true" doc:"Number of retries of a request that is safe to repeat, after a lost connection, a status 502, 503 or 504, or a rate limit. 0 to 10."`
	MaxRetryWait   time.Duration `env:"OUTLINE_MAX_RETRY_WAIT" envDefault:"20s" max:"1h" doc:"Longest wait for a rate limit, at most 1h; if Outline asks for more, the call fails. The wait never exceeds the time limit of the call."`
	MaxRequests    int           `env:"OUTLINE_MAX_REQUESTS" envDefault:"32" max:"10000" doc:"Number of requests to Outline at a time; others wait. Over HTTP, one caller gets at most half of it, so that one user's batch does not delay others."`
	MaxAnswerBytes Bytes         `env:"OUTLINE_MAX_ANSWER_BYTES" envDefault:"32MiB" min:"64KiB" doc:"Maximum size of an answer from Outline. At least 64KiB."`

	Transport Transport `env:"MCP_TRANSPORT" envDefault:"stdio" doc:"How clients connect: stdio for one client that starts the server, http (Streamable HTTP) for a team. The deprecated HTTP+SSE transport of 2024 is not supported."`
	Host      string    `env:"MCP_HOST" envDefault:"127.0.0.1" doc:"Address to listen on with http; 0.0.0.0 for all. On any address other than loopback, OUTLINE_API_KEY requires MCP_AUTH_TOKENS, MCP_PUBLIC_URL or MCP_ALLOW_ANONYMOUS."`
	Port      int       `env:"MCP_PORT" envDefault:"3000" max:"65535" zero:"true" doc:"Port to listen on with http; 0 picks a free one."`
	Path      string    `env:"MCP_PATH" envDefault:"/mcp" doc:"Path of the MCP endpoint. /health, /ready and /metrics are reserved."`

	AuthTokens     Secrets `env:"MCP_AUTH_TOKENS" doc:"Tokens of 16 to 1024 characters, separated by commas. Each request over HTTP must send one of them: in X-MCP-Token, or as Authorization: Bearer if the Outline key is in X-Outline-API-Key. Users who have logged in need none."`
	AuthTokensFile string  `env:"MCP_AUTH_TOKENS_FILE" doc:"File that contains the tokens, one per line, reloaded when it changes. Use it instead of MCP_AUTH_TOKENS."`
	AllowAnonymous bool    `env:"MCP_ALLOW_ANONYMOUS" envDefault:"false" doc:"Let everyone who can reach the server act with OUTLINE_API_KEY, without a token."`
	AllowedOrigins Names   `env:"MCP_ALLOWED_ORIGINS" doc:"Origins of web pages that may call the server, such as https://app.example.com, separated by commas."`
	AllowedHosts   Names   `env:"MCP_ALLOWED_HOSTS" doc:"Host names that requests may use, such as mcp.example.com, separated by commas. On loopback, localhost is always allowed; elsewhere, an empty list allows any host."`

	TrustedProxies Names `env:"MCP_TRUSTED_PROXIES" doc:"Reverse proxies in front of the server that add to X-Forwarded-For: their number, such as 1, or their addresses and networks, such as 10.0.0.0/8, separated by commas. If it is empty, all users behind a proxy share the login limits of one address."`

	StateSecret     Secret `env:"MCP_STATE_SECRET" doc:"Secret that seals the state that clients carry between a confirmation question and the reply, so that they cannot change it. It does not keep a client from replying by itself. Set the same one for all servers behind one address; without it, each has a random one, and a reply counts only at the server that asked."`
	StateSecretFile string `env:"MCP_STATE_SECRET_FILE" doc:"File that contains the secret. Use it instead of MCP_STATE_SECRET."`

	PublicURL               string  `env:"MCP_PUBLIC_URL" doc:"Address that users give to their AI client, without MCP_PATH, such as https://mcp.example.com; http only on loopback. It turns on login with Outline over HTTP, and needs MCP_OAUTH_CLIENT_ID, MCP_OAUTH_CLIENT_SECRET and MCP_OAUTH_SECRET. With login, a request without credentials acts with OUTLINE_API_KEY only if MCP_ALLOW_ANONYMOUS is true."`
	OAuthClientID           string  `env:"MCP_OAUTH_CLIENT_ID" doc:"Client ID of this server's OAuth application in Outline, which outline-mcp oauth setup creates. Its redirect URI is MCP_PUBLIC_URL with /oauth/callback."`
	OAuthClientSecret       Secret  `env:"MCP_OAUTH_CLIENT_SECRET" doc:"Client secret of that application."`
	OAuthClientSecretFile   string  `env:"MCP_OAUTH_CLIENT_SECRET_FILE" doc:"File that contains the client secret. Use it instead of MCP_OAUTH_CLIENT_SECRET."`
	OAuthSecret             Secret  `env:"MCP_OAUTH_SECRET" doc:"Secret that encrypts the tokens of users who log in, at least 32 characters. Set the same one for all servers behind one address. Whoever has it can read these tokens."`
	OAuthSecretFile         string  `env:"MCP_OAUTH_SECRET_FILE" doc:"File that contains the secret. Use it instead of MCP_OAUTH_SECRET."`
	OAuthSecretPrevious     Secret  `env:"MCP_OAUTH_SECRET_PREVIOUS" doc:"Former MCP_OAUTH_SECRET, whose tokens remain valid. Remove it after 30 days, when the last of them has expired; clients that registered before then register again."`
	OAuthSecretPreviousFile string  `env:"MCP_OAUTH_SECRET_PREVIOUS_FILE" doc:"File that contains the former secret. Use it instead of MCP_OAUTH_SECRET_PREVIOUS."`
	OAuthOutlineURL         string  `env:"MCP_OAUTH_OUTLINE_URL" doc:"Address of Outline as seen from a browser, such as https://wiki.example.com, if it differs from OUTLINE_API_URL."`
	OAuthRedirects          Strings `env:"MCP_OAUTH_REDIRECTS" doc:"Redirect URIs, separated by commas, of clients that cannot register themselves or be looked up. They use the client ID outline-mcp."`
	OAuthCIMD               bool    `env:"MCP_OAUTH_CIMD" envDefault:"true" doc:"Look up clients whose client ID is a URL by fetching that URL. Well-known clients are recognized without it."`

	MaxBody        Bytes         `env:"MCP_MAX_BODY" envDefault:"8MiB" min:"1KiB" doc:"Maximum size of a request over HTTP. At least 1KiB."`
	MaxCalls       int           `env:"MCP_MAX_CALLS" envDefault:"256" max:"100000" doc:"Maximum number of concurrent calls over HTTP. Further calls are rejected with 503."`
	MaxCallsPerKey int           `env:"MCP_MAX_CALLS_PER_KEY" envDefault:"64" max:"100000" doc:"Maximum number of concurrent calls over HTTP with one Outline key. Further calls are rejected with 429."`
	ShutdownGrace  time.Duration `env:"MCP_SHUTDOWN_GRACE" envDefault:"55s" max:"1h" zero:"true" doc:"How long running calls over HTTP may take to finish after SIGTERM, at most 1h."`

	RedisURL     Secret `env:"MCP_REDIS_URL" doc:"Redis that the servers behind one address use to share Outline's limits, such as redis://:password@redis.example.com:6379/0; rediss:// for TLS. While it is unreachable, each server falls back to its own limits."`
	RedisURLFile string `env:"MCP_REDIS_URL_FILE" doc:"File that contains the address of Redis. Use it instead of MCP_REDIS_URL."`

	TLSCert     string `env:"MCP_TLS_CERT" doc:"PEM file with the certificate for https, reloaded when it changes. Without one, use a proxy that provides TLS."`
	TLSKey      string `env:"MCP_TLS_KEY" doc:"PEM file with the private key of MCP_TLS_CERT."`
	MetricsAddr string `env:"MCP_METRICS_ADDR" doc:"Address and port for /metrics, such as 127.0.0.1:9090, instead of those of the MCP endpoint."`

	AuditLog      string `env:"MCP_AUDIT_LOG" doc:"File for the audit trail: a line of JSON for each call and before each change, with user, tool, documents and outcome. stderr means standard error. The file is created with mode 0600; its folder must exist."`
	AuditRequired bool   `env:"MCP_AUDIT_REQUIRED" envDefault:"true" doc:"Refuse changes while MCP_AUDIT_LOG cannot be written. Reading continues either way."`
	AuditMaxSize  Bytes  `env:"MCP_AUDIT_MAX_SIZE" envDefault:"64MiB" min:"64KiB" zero:"true" doc:"Size at which the file of MCP_AUDIT_LOG is renamed and a new one begun. At least 64KiB, or 0 for never."`
	AuditKeep     int    `env:"MCP_AUDIT_KEEP" envDefault:"20" max:"100000" zero:"true" doc:"Number of renamed files to keep; older ones are deleted. 0 keeps all."`

	LogLevel  slog.Level `env:"LOG_LEVEL" envDefault:"info" doc:"Minimum level of log lines on standard error: debug, info, warn or error. Keys, arguments and document text are never logged."`
	LogFormat Format     `env:"LOG_FORMAT" envDefault:"text" doc:"Format of log lines: text or json."`

	OTLPEndpoint       string       `env:"OTEL_EXPORTER_OTLP_ENDPOINT" doc:"Address of an OpenTelemetry collector, such as http://collector:4318, for traces with OTLP over HTTP. If this and the address for traces are empty, nothing is sent. The OpenTelemetry SDK's own variables, such as OTEL_TRACES_SAMPLER, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES, also apply."`
	OTLPTracesEndpoint string       `env:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" doc:"Address for traces, with the path, in place of /v1/traces at OTEL_EXPORTER_OTLP_ENDPOINT."`
	OTLPHeaders        Secret       `env:"OTEL_EXPORTER_OTLP_HEADERS" doc:"Headers for the collector, such as api-key=..., separated by commas; values are URL-encoded."`
	OTLPTimeout        int          `env:"OTEL_EXPORTER_OTLP_TIMEOUT" envDefault:"10000" max:"60000" doc:"Time limit for one request to the collector, retries included, in milliseconds, at most 60000."`
	OTLPProtocol       OTLPProtocol `env:"OTEL_EXPORTER_OTLP_PROTOCOL" envDefault:"http/protobuf" doc:"Protocol of the collector; only http/protobuf is supported."`
	OTLPCertificate    string       `env:"OTEL_EXPORTER_OTLP_CERTIFICATE" doc:"PEM file with the certificates to trust for the collector in place of the system's."`
	OTelTraces         OTelExporter `env:"OTEL_TRACES_EXPORTER" envDefault:"otlp" doc:"otlp, or none for no traces."`
	OTelDisabled       bool         `env:"OTEL_SDK_DISABLED" envDefault:"false" doc:"Send no traces."`

	// Warnings are about settings that work but are probably a mistake.
	Warnings []Problem `env:"-"`
}

// Format is how log lines look: "text" or "json".
type Format string

// Confirm says which calls the user has to confirm: "off", "deletes" or "writes".
type Confirm string

// Fallback says what happens to calls that the user cannot confirm: "refuse" or
// "allow".
type Fallback string

// Views says which clients get views: "auto", "on" or "off".
type Views string

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

// Lookup returns a variable of an environment in the form of os.Environ, "" if it is not
// set. The last one counts.
func Lookup(environ []string, name string) string {
	for _, variable := range slices.Backward(environ) {
		if value, found := strings.CutPrefix(variable, name+"="); found {
			return value
		}
	}
	return ""
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
	for field := range reflect.TypeFor[Config]().Fields() {
		if parse := typeOf(field.Type).parse; parse != nil {
			parsers[field.Type] = parse
		}
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
		found.add(name, "%q is %s; use %s", shorten(given[name]), typeOf(field.Type).invalid, example(field))
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
			found.add(field.Tag.Get("env"), "%v is out of range; use %s", value.Field(i).Interface(), example(field))
		}
	}
}

// WithoutOutline returns an environment without the settings that say how to
// reach Outline. The embedded workspace needs none of them, and a placeholder in
// one must not keep it from starting.
func WithoutOutline(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains([]string{
			"OUTLINE_API_URL", "OUTLINE_API_KEY", "OUTLINE_API_KEY_FILE", "OUTLINE_CA_FILE",
			"OUTLINE_CLIENT_CERT", "OUTLINE_CLIENT_KEY", outlineHeaders, outlineHeaders + "_FILE",
			oauthClientID, oauthClientSecret, oauthClientSecret + "_FILE",
		}, name)
	})
}

// Setting is one environment variable, as documentation shows it.
type Setting struct {
	Name    string
	Type    string // boolean, whole number, duration, size, list, level, format, choice, transport or text
	Default string // "" where there is none
	Doc     string
	Secret  bool
}

// Settings returns all environment variables, in the order of Config.
func Settings() []Setting {
	var settings []Setting
	for field := range reflect.TypeFor[Config]().Fields() {
		if name := field.Tag.Get("env"); name != "-" {
			settings = append(settings, Setting{
				Name:    name,
				Type:    typeOf(field.Type).name,
				Default: field.Tag.Get("envDefault"),
				Doc:     field.Tag.Get("doc"),
				Secret:  field.Type == reflect.TypeFor[Secret]() || field.Type == reflect.TypeFor[Secrets](),
			})
		}
	}
	return settings
}

// OtherNames returns the names by which other programs for Outline know a
// setting. This program does not read them.
func OtherNames(setting string) []string {
	switch setting {
	case "OUTLINE_API_KEY":
		return []string{"OUTLINE_API_TOKEN", "OUTLINE_TOKEN", "OUTLINE_KEY"}
	case "OUTLINE_API_URL":
		return []string{"OUTLINE_URL", "OUTLINE_BASE_URL", "OUTLINE_HOST"}
	}
	return nil
}

// misspelled returns a warning for each variable that is probably another name
// of one of the settings, or a misspelled one.
func misspelled(given map[string]string, settings []Setting) []Problem {
	var known []string
	meant := map[string]string{}
	for _, s := range settings {
		known = append(known, s.Name)
		for _, other := range OtherNames(s.Name) {
			meant[other] = s.Name
		}
	}
	var warnings []Problem
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(known, name) || !strings.HasPrefix(name, "OUTLINE_") && !strings.HasPrefix(name, "MCP_") {
			continue
		}
		if nearest := cmp.Or(meant[name], Nearest(name, known)); nearest != "" {
			warnings = append(warnings, Problem{Setting: name, Text: "unknown setting; did you mean " + nearest + "?"})
		}
	}
	return warnings
}
