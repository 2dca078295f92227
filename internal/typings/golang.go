package typings

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

func writeGo(m *model) ([]byte, error) {
	w := &bytes.Buffer{}
	w.WriteString(goHeader)
	taken, objects := names{}, map[string]*object{}
	var body bytes.Buffer
	for _, d := range m.declarations {
		taken[d.declared()] = true
		if o, ok := d.(*object); ok {
			objects[o.name] = o
		}
	}
	for _, d := range m.declarations {
		body.Reset()
		body.WriteString("\n")
		switch d := d.(type) {
		case *object:
			if err := goObject(&body, d, objects["Failure"]); err != nil {
				return nil, fmt.Errorf("%s: %w", d.name, err)
			}
		case *enumeration:
			goEnumeration(&body, d, taken)
		case *union:
			if err := goUnion(&body, d, objects); err != nil {
				return nil, fmt.Errorf("%s: %w", d.name, err)
			}
		}
		if m.written[d.declared()] { // constants of the others take their names too
			w.Write(body.Bytes())
		}
	}
	w.WriteString(goHelpers)
	return w.Bytes(), nil
}

// goComment writes the comment of a declaration, which starts with its name.
func goComment(w *bytes.Buffer, name, comment string) {
	verb := " is "
	if strings.HasPrefix(comment, "The arguments of") {
		verb = " are "
	}
	if verb == " are " || strings.HasPrefix(comment, "Part of") || strings.HasPrefix(comment, "What") {
		comment = strings.ToLower(comment[:1]) + comment[1:]
	}
	goLines(w, "", name+verb+comment)
}

// goLines writes a comment. It breaks up what gofmt would move: build
// constraints and link definitions.
func goLines(w *bytes.Buffer, indent, comment string) {
	harmless := strings.NewReplacer("+build", "+ build", "]:", "] :")
	for _, line := range wrapped(harmless.Replace(comment)) {
		fmt.Fprintf(w, "%s// %s\n", indent, line)
	}
}

// goField is a field of a struct.
type goField struct {
	field
	name, typ, tag string
	pointer        bool
}

// goFields names the fields of a struct so that they differ from its methods.
func goFields(o *object) ([]goField, error) {
	methods, taken := names{"MarshalJSON": true, "UnmarshalJSON": true}, names{}
	if o.failure {
		methods["Error"], methods["FailureCode"], methods["Unwrap"] = true, true, true
	}
	var fields []goField
	for _, f := range o.fields {
		name := goCase(words(f.name))
		if methods[name] {
			name += "Text"
		}
		if !isTag(f.name) {
			return nil, fmt.Errorf("encoding/json has no way to write the key %q", f.name)
		}
		typ, tag := goKind(f.kind), f.name
		pointer := !f.required && f.tellsZero()
		if pointer {
			typ = "*" + typ
		}
		if !f.required {
			tag += ",omitzero"
		} else if tag == "-" {
			tag = "-," // a single - would omit the field
		}
		fields = append(fields, goField{f, taken.take(name), typ, "`json:\"" + tag + "\"`", pointer})
	}
	return fields, nil
}

// isTag reports whether encoding/json accepts a key in a tag.
func isTag(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return name != ""
}

func goKind(k kind) string {
	switch {
	case k.named != "":
		return k.named
	case k.list != nil:
		return "[]" + goKind(*k.list)
	}
	switch k.schema.Type {
	case "string":
		return "string"
	case "boolean":
		return "bool"
	case "integer":
		return "int"
	}
	return "float64"
}

// tellsZero reports whether Go's zero value, in place of an optional value, says
// something else than that the value is absent, so that only a pointer tells
// the two apart. The tools take an empty text for an absent one, and answer none.
func (f field) tellsZero() bool {
	s := f.kind.schema
	switch {
	case f.kind.list != nil, s.Enum != nil:
		return false
	case s.Constant != nil:
		return s.Constant == false
	case s.Type == "string":
		return false
	case s.Type == "boolean":
		return string(s.Default) == "true" || s.TellsFalse
	case s.Type == "integer" || s.Type == "number":
		// An offset says how many to skip, and none is what is skipped without it.
		return f.name != "offset" && string(s.Default) != "0" &&
			(s.Minimum == nil || *s.Minimum <= 0) && (s.Maximum == nil || *s.Maximum >= 0)
	}
	return true
}

func goObject(w *bytes.Buffer, o, failure *object) error {
	fields, err := goFields(o)
	if err != nil {
		return err
	}
	goComment(w, o.name, o.comment)
	if len(fields) == 0 {
		fmt.Fprintf(w, "type %s struct{}\n", o.name)
	} else {
		fmt.Fprintf(w, "type %s struct {\n", o.name)
		var rows [][]string
		for _, f := range fields {
			if f.comment != "" {
				writeRows(w, rows)
				rows = nil
				goLines(w, "\t", f.comment)
			}
			rows = append(rows, []string{f.name, f.typ, f.tag})
		}
		writeRows(w, rows)
		w.WriteString("}\n")
	}
	fmt.Fprintf(w, "\n// UnmarshalJSON decodes an object, which must have the keys that are always there.\n"+
		"func (v *%s) UnmarshalJSON(data []byte) error {\n\ttype plain %s\n", o.name, o.name)
	var required, optional []string
	checks, lists := "", ""
	for _, f := range fields {
		if f.required {
			required = append(required, strconv.Quote(f.field.name))
			if f.kind.list != nil {
				lists += fmt.Sprintf("\tv.%s = list(v.%s)\n", f.name, f.name)
			}
		} else {
			optional = append(optional, strconv.Quote(f.field.name))
		}
		checks += goCheck(f)
	}
	list := func(keys []string) string {
		if keys == nil {
			return "nil"
		}
		return "[]string{" + strings.Join(keys, ", ") + "}"
	}
	decode := fmt.Sprintf("decodeObject(data, (*plain)(v), %s, %s)", list(required), list(optional))
	if checks == "" {
		fmt.Fprintf(w, "\treturn %s\n}\n", decode)
	} else {
		fmt.Fprintf(w, "\tif err := %s; err != nil {\n\t\treturn err\n\t}\n%s\treturn nil\n}\n", decode, checks)
	}
	if lists != "" {
		fmt.Fprintf(w, "\n// MarshalJSON encodes an object, in which a list that must be there is never null.\n"+
			"func (v %s) MarshalJSON() ([]byte, error) {\n\ttype plain %s\n%s\treturn json.Marshal(plain(v))\n}\n", o.name, o.name, lists)
	}
	if o.failure {
		return goFailure(w, o, fields, failure)
	}
	return nil
}

// goCheck returns the check of a field that has only one possible value.
func goCheck(f goField) string {
	constant := f.kind.schema.Constant
	if constant == nil {
		return ""
	}
	value := fmt.Sprintf("%#v", constant)
	given, condition := "v."+f.name, "v."+f.name+" != "+value
	if !f.required {
		zero := `""`
		if _, ok := constant.(bool); ok {
			zero = "false"
		}
		if f.pointer {
			given, zero = "*v."+f.name, "nil"
		}
		condition = fmt.Sprintf("v.%s != %s && %s != %s", f.name, zero, given, value)
	}
	return fmt.Sprintf("\tif %s {\n\t\treturn fmt.Errorf(\"the key %%q is %%v, not %%v\", %q, %s, %s)\n\t}\n", condition, f.field.name, given, value)
}

// writeRows writes lines with columns aligned as gofmt does it.
func writeRows(w *bytes.Buffer, rows [][]string) {
	widths := map[int]int{}
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	for _, row := range rows {
		line := "\t"
		for i, cell := range row {
			line += cell
			if i < len(row)-1 {
				line += strings.Repeat(" ", widths[i]-len(cell)+1)
			}
		}
		w.WriteString(line + "\n")
	}
}
