package typings

import (
	"bytes"
	"fmt"
	"strings"
)

func goEnumeration(w *bytes.Buffer, e *enumeration, taken names) {
	goComment(w, e.name, e.comment)
	fmt.Fprintf(w, "type %s string\n\n// The values of %s.\nconst (\n", e.name, e.name)
	var constants []string
	var rows [][]string
	for _, value := range e.values {
		constant := taken.take(e.name + goCase(words(value)))
		constants = append(constants, constant)
		rows = append(rows, []string{constant, e.name, fmt.Sprintf("= %q", value)})
	}
	writeRows(w, rows)
	fmt.Fprintf(w, ")\n\n// UnmarshalJSON decodes one of the values.\nfunc (v *%s) UnmarshalJSON(data []byte) error {\n\treturn decodeOneOf(data, v, %s)\n}\n",
		e.name, strings.Join(constants, ", "))
}

// goUnion writes a struct with a pointer for each variant.
func goUnion(w *bytes.Buffer, u *union, objects map[string]*object) error {
	fmt.Fprintf(w, "// %s is what %s answers: one of the fields is set.\n", u.name, plain(u.tool))
	taken := names{"Err": true, "MarshalJSON": true, "UnmarshalJSON": true}
	var rows [][]string
	var addresses, values []string
	failures := ""
	for _, v := range u.variants {
		name := taken.take(goCase(v.label))
		rows = append(rows, []string{name, "*" + v.object})
		addresses = append(addresses, "into(&r."+name+")")
		values = append(values, "from(r."+name+")")
		if v.failure {
			failures += fmt.Sprintf("\tif r.%s != nil {\n\t\treturn r.%s\n\t}\n", name, name)
		} else if objects["Failure"] != nil {
			told, err := goToldFailure("r."+name, objects[v.object])
			if err != nil {
				return err
			}
			failures += told
		}
	}
	fmt.Fprintf(w, "type %s struct {\n", u.name)
	writeRows(w, rows)
	fmt.Fprintf(w, "}\n\n// UnmarshalJSON decodes the first shape that fits.\nfunc (r *%s) UnmarshalJSON(data []byte) error {\n\t*r = %s{}\n\treturn decodeFirst(data, %s)\n}\n",
		u.name, u.name, strings.Join(addresses, ", "))
	fmt.Fprintf(w, "\n// MarshalJSON encodes the field that is set.\nfunc (r %s) MarshalJSON() ([]byte, error) {\n\treturn encodeFirst(%s)\n}\n",
		u.name, strings.Join(values, ", "))
	fmt.Fprintf(w, "\n// Err returns the failure that is answered or told, nil if there is none.\nfunc (r %s) Err() error {\n%s\treturn nil\n}\n", u.name, failures)
	return nil
}
