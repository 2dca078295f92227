package typings

import (
	"bytes"
	"fmt"
	"strings"
)

// goFailure makes a struct an error. The failure is the one that the tools
// share, or nil; any other one unwraps to it.
func goFailure(w *bytes.Buffer, o *object, fields []goField, failure *object) error {
	of := map[string]goField{}
	for _, f := range fields {
		of[f.field.name] = f
	}
	sentence, code := of["error"], of["code"]
	if message, ok := of["message"]; ok && message.required && message.typ == "string" {
		sentence = message // where error holds the code
	}
	text := func(f goField) string {
		if f.typ == "string" {
			return "v." + f.name
		}
		return "string(v." + f.name + ")"
	}
	fmt.Fprintf(w, "\n// Error returns the sentence.\nfunc (v *%s) Error() string { return %s }\n", o.name, text(sentence))
	fmt.Fprintf(w, "\n// FailureCode returns the code.\nfunc (v *%s) FailureCode() string { return %s }\n", o.name, text(code))
	if failure == nil || failure == o {
		return nil
	}
	shared, err := goFields(failure)
	if err != nil {
		return err
	}
	var values []string
	for _, f := range shared {
		switch same := of[f.field.name]; {
		case f.field.name == "error":
			values = append(values, f.name+": "+text(sentence))
		case f.field.name == "code":
			values = append(values, f.name+": "+text(code))
		case same.typ == f.typ:
			values = append(values, f.name+": v."+same.name)
		}
	}
	fmt.Fprintf(w, "\n// Unwrap returns the same as the failure that all tools share.\nfunc (v *%s) Unwrap() error {\n\treturn &Failure{%s}\n}\n", o.name, strings.Join(values, ", "))
	return nil
}

// goToldFailure returns the code that makes an error of a result with an
// optional error and code, such as that of a batch in which nothing succeeded;
// "" for any other result.
func goToldFailure(variable string, o *object) (string, error) {
	fields, err := goFields(o)
	if err != nil {
		return "", err
	}
	condition, values := variable+" != nil", map[string]string{}
	for _, f := range fields {
		if (f.field.name == "error" || f.field.name == "code") && !f.required && f.typ == "string" {
			condition += fmt.Sprintf(` && %s.%s != ""`, variable, f.name)
			values[f.field.name] = variable + "." + f.name
		}
	}
	if len(values) < 2 {
		return "", nil
	}
	return fmt.Sprintf("\tif %s {\n\t\treturn &Failure{ErrorText: %s, Code: %s}\n\t}\n", condition, values["error"], values["code"]), nil
}
