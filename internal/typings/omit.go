package typings

// omit drops the tools that are not to be generated and marks the declarations
// that the others refer to. It always keeps the failure that tools share: in
// Go, other failures unwrap to it.
func (m *model) omit(tools []parsedTool) {
	m.written = names{}
	of := map[string]declaration{}
	for _, d := range m.declarations {
		of[d.declared()] = d
	}
	if of["Failure"] != nil {
		m.reach("Failure", of)
	}
	var left []toolTypes
	for i, t := range tools {
		if !t.Omit {
			left = append(left, m.tools[i])
			m.reach(m.tools[i].arguments, of)
			m.reach(m.tools[i].result, of)
		}
	}
	m.tools = left
}

// reach marks a declaration and those that it refers to.
func (m *model) reach(name string, of map[string]declaration) {
	if m.written[name] {
		return
	}
	m.written[name] = true
	switch d := of[name].(type) {
	case *object:
		for _, f := range d.fields {
			element := f.kind
			for element.list != nil {
				element = *element.list
			}
			if element.named != "" {
				m.reach(element.named, of)
			}
		}
	case *union:
		for _, v := range d.variants {
			m.reach(v.object, of)
		}
	}
}
