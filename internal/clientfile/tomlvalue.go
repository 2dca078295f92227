package clientfile

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// tomlValue writes a value on one line.
func tomlValue(value any) string {
	switch value := value.(type) {
	case bool:
		return strconv.FormatBool(value)
	case int64:
		return strconv.FormatInt(value, 10)
	case float64:
		return tomlFloat(value)
	case time.Time:
		return value.Format(time.RFC3339Nano)
	case fmt.Stringer: // the dates and times of the library that have no zone
		return value.String()
	case []string:
		return tomlValue(plain(value))
	case []any:
		return "[" + strings.Join(mapped(value, tomlValue), ", ") + "]"
	case Object:
		if len(value) == 0 {
			return "{}"
		}
		fields := mapped(value, func(field Field) string { return key(field.Name) + " = " + tomlValue(field.Value) })
		return "{ " + strings.Join(fields, ", ") + " }"
	}
	return tomlString(value.(string))
}

func tomlFloat(value float64) string {
	switch {
	case math.IsNaN(value):
		return "nan"
	case math.IsInf(value, 0):
		return strings.ToLower(fmt.Sprintf("%+v", value)) // +inf
	}
	text := strconv.FormatFloat(value, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}
