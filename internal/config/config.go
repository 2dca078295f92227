// Package config reads the program's settings from environment variables.
//
// Each setting is one field of Config: its tags hold the variable's name, its
// default and its range. settings.txt has the documentation, from which
// docs/configuration.md and .env.example are made.
package config

import (
	_ "embed" // the documentation
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
)

// Config holds all settings. The documentation of a setting says what 0 means.
type Config struct {
	APIKey     Secret `env:"OUTLINE_API_KEY"`
	APIKeyFile string `env:"OUTLINE_API_KEY_FILE"`
	APIURL     string `env:"OUTLINE_API_URL" envDefault:"https://app.getoutline.com/api"`
	URLAliases Names  `env:"OUTLINE_URL_ALIASES"`

	LoginClientID string `env:"OUTLINE_OAUTH_CLIENT_ID"`

	VerifySSL bool   `env:"OUTLINE_VERIFY_SSL" envDefault:"true"`
	CAFile    string `env:"OUTLINE_CA_FILE"`

	ClientCert  string `env:"OUTLINE_CLIENT_CERT"`
	ClientKey   string `env:"OUTLINE_CLIENT_KEY"`
	Headers     Secret `env:"OUTLINE_HEADERS"`
	HeadersFile string `env:"OUTLINE_HEADERS_FILE"`

	StructuredOutput bool           `env:"OUTLINE_STRUCTURED_OUTPUT" envDefault:"false"`
	StructuredText   StructuredText `env:"OUTLINE_STRUCTURED_TEXT" envDefault:"auto"`
	MaxResponseChars int            `env:"OUTLINE_MAX_RESPONSE_CHARS" envDefault:"38000" min:"5000" zero:"true"`
	ClientLimits     bool           `env:"-"` // MaxResponseChars is not set: clients that are known to cut get less

	ReadOnly       bool  `env:"OUTLINE_READ_ONLY" envDefault:"false"`
	DisableDelete  bool  `env:"OUTLINE_DISABLE_DELETE" envDefault:"false"`
	DisableAITools bool  `env:"OUTLINE_DISABLE_AI_TOOLS" envDefault:"false"`
	Tools          Names `env:"OUTLINE_TOOLS"`
	ExcludeTools   Names `env:"OUTLINE_EXCLUDE_TOOLS"`

	Collections        Strings `env:"OUTLINE_COLLECTIONS"`
	ExcludeCollections Strings `env:"OUTLINE_EXCLUDE_COLLECTIONS"`
	WriteCollections   Strings `env:"OUTLINE_WRITE_COLLECTIONS"`
	AllowDrafts        bool    `env:"OUTLINE_ALLOW_DRAFTS" envDefault:"true"`

	Confirm         Confirm  `env:"OUTLINE_CONFIRM" envDefault:"off"`
	ConfirmFallback Fallback `env:"OUTLINE_CONFIRM_FALLBACK" envDefault:"refuse"`

	DynamicToolList bool `env:"OUTLINE_DYNAMIC_TOOL_LIST" envDefault:"false"`

	Views Views `env:"OUTLINE_VIEWS" envDefault:"auto"`

	ToolIcons bool `env:"OUTLINE_TOOL_ICONS" envDefault:"false"`

	SkillsCollection  string `env:"OUTLINE_SKILLS_COLLECTION"`
	PromptsCollection string `env:"OUTLINE_PROMPTS_COLLECTION"`

	FilesDir string `env:"OUTLINE_FILES_DIR"`

	BatchConcurrency int `env:"OUTLINE_BATCH_CONCURRENCY" envDefault:"4" max:"16"`

	CallTimeout    time.Duration `env:"OUTLINE_CALL_TIMEOUT" envDefault:"50s" max:"1h"`
	RequestTimeout time.Duration `env:"OUTLINE_REQUEST_TIMEOUT" envDefault:"20s" max:"1h"`
	MaxRetries     int           `env:"OUTLINE_MAX_RETRIES" envDefault:"3" max:"10" zero:"true"`
	MaxRetryWait   time.Duration `env:"OUTLINE_MAX_RETRY_WAIT" envDefault:"20s" max:"1h"`
	MaxRequests    int           `env:"OUTLINE_MAX_REQUESTS" envDefault:"32" max:"10000"`
	MaxAnswerBytes Bytes         `env:"OUTLINE_MAX_ANSWER_BYTES" envDefault:"32MiB" min:"64KiB"`

	Transport Transport `env:"MCP_TRANSPORT" envDefault:"stdio"`
	Host      string    `env:"MCP_HOST" envDefault:"127.0.0.1"`
	Port      int       `env:"MCP_PORT" envDefault:"3000" max:"65535" zero:"true"`
	Path      string    `env:"MCP_PATH" envDefault:"/mcp"`

	AuthTokens     Secrets `env:"MCP_AUTH_TOKENS"`
	AuthTokensFile string  `env:"MCP_AUTH_TOKENS_FILE"`
	AllowAnonymous bool    `env:"MCP_ALLOW_ANONYMOUS" envDefault:"false"`
	AllowedOrigins Names   `env:"MCP_ALLOWED_ORIGINS"`
	AllowedHosts   Names   `env:"MCP_ALLOWED_HOSTS"`

	TrustedProxies Names `env:"MCP_TRUSTED_PROXIES"`

	StateSecret     Secret `env:"MCP_STATE_SECRET"`
	StateSecretFile string `env:"MCP_STATE_SECRET_FILE"`

	PublicURL               string  `env:"MCP_PUBLIC_URL"`
	OAuthClientID           string  `env:"MCP_OAUTH_CLIENT_ID"`
	OAuthClientSecret       Secret  `env:"MCP_OAUTH_CLIENT_SECRET"`
	OAuthClientSecretFile   string  `env:"MCP_OAUTH_CLIENT_SECRET_FILE"`
	OAuthSecret             Secret  `env:"MCP_OAUTH_SECRET"`
	OAuthSecretFile         string  `env:"MCP_OAUTH_SECRET_FILE"`
	OAuthSecretPrevious     Secret  `env:"MCP_OAUTH_SECRET_PREVIOUS"`
	OAuthSecretPreviousFile string  `env:"MCP_OAUTH_SECRET_PREVIOUS_FILE"`
	OAuthOutlineURL         string  `env:"MCP_OAUTH_OUTLINE_URL"`
	OAuthRedirects          Strings `env:"MCP_OAUTH_REDIRECTS"`
	OAuthCIMD               bool    `env:"MCP_OAUTH_CIMD" envDefault:"true"`

	MaxBody        Bytes         `env:"MCP_MAX_BODY" envDefault:"8MiB" min:"1KiB"`
	MaxCalls       int           `env:"MCP_MAX_CALLS" envDefault:"256" max:"100000"`
	MaxCallsPerKey int           `env:"MCP_MAX_CALLS_PER_KEY" envDefault:"64" max:"100000"`
	ShutdownGrace  time.Duration `env:"MCP_SHUTDOWN_GRACE" envDefault:"55s" max:"1h" zero:"true"`

	RedisURL     Secret `env:"MCP_REDIS_URL"`
	RedisURLFile string `env:"MCP_REDIS_URL_FILE"`

	TLSCert     string `env:"MCP_TLS_CERT"`
	TLSKey      string `env:"MCP_TLS_KEY"`
	MetricsAddr string `env:"MCP_METRICS_ADDR"`

	AuditLog      string `env:"MCP_AUDIT_LOG"`
	AuditRequired bool   `env:"MCP_AUDIT_REQUIRED" envDefault:"true"`
	AuditMaxSize  Bytes  `env:"MCP_AUDIT_MAX_SIZE" envDefault:"64MiB" min:"64KiB" zero:"true"`
	AuditKeep     int    `env:"MCP_AUDIT_KEEP" envDefault:"20" max:"100000" zero:"true"`

	LogLevel  slog.Level `env:"LOG_LEVEL" envDefault:"info"`
	LogFormat Format     `env:"LOG_FORMAT" envDefault:"text"`

	OTLPEndpoint       string       `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`
	OTLPTracesEndpoint string       `env:"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"`
	OTLPHeaders        Secret       `env:"OTEL_EXPORTER_OTLP_HEADERS"`
	OTLPTimeout        int          `env:"OTEL_EXPORTER_OTLP_TIMEOUT" envDefault:"10000" max:"60000"`
	OTLPProtocol       OTLPProtocol `env:"OTEL_EXPORTER_OTLP_PROTOCOL" envDefault:"http/protobuf"`
	OTLPCertificate    string       `env:"OTEL_EXPORTER_OTLP_CERTIFICATE"`
	OTelTraces         OTelExporter `env:"OTEL_TRACES_EXPORTER" envDefault:"otlp"`
	OTelDisabled       bool         `env:"OTEL_SDK_DISABLED" envDefault:"false"`

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

// StructuredText says how the text beside structured content is: "auto", "short" or "full".
type StructuredText string

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
