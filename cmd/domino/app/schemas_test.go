package app

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/spec/report"
	"github.com/domino-check/domino/spec/report/site"
	"github.com/domino-check/domino/spec/trace"
)

// answerTypes are the types of everything that --json prints, by the names of their formats.
var answerTypes = map[string]reflect.Type{
	"check": reflect.TypeFor[row](), "estimate": reflect.TypeFor[forecast](),
	"erratum": reflect.TypeFor[erratumAnswer](), "fuzz": reflect.TypeFor[fuzzed](),
	"mutant": reflect.TypeFor[mutantRow](), "mutants": reflect.TypeFor[mutantSum](),
	"source-mutant":  reflect.TypeFor[sourceRow](),
	"source-mutants": reflect.TypeFor[sourceSum](),
	"minimise":       reflect.TypeFor[minimised](), "certify": reflect.TypeFor[certified](),
	"tables": reflect.TypeFor[tableAnswer](), "list": reflect.TypeFor[listed](),
	"show": reflect.TypeFor[shownAnswer](), "version": reflect.TypeFor[versionAnswer](),
	"experiment": reflect.TypeFor[experimentAnswer](),
	"compare":    reflect.TypeFor[compareAnswer](), "comparison": reflect.TypeFor[compareSum](),
	"disk":        reflect.TypeFor[storeAnswer](),
	"enforce":     reflect.TypeFor[enforceReport](),
	"efficiency":  reflect.TypeFor[efficiencyAnswer](),
	"lift":        reflect.TypeFor[liftReport](),
	"cluster-run": reflect.TypeFor[clusterReport](), "torture": reflect.TypeFor[tortured](),
	"wrong-run": reflect.TypeFor[wrongRun](), "perf": reflect.TypeFor[perfAnswer](),
	"clustering": reflect.TypeFor[plannedAnswer](),
	"netpipe":    reflect.TypeFor[netpipeAnswer](), "plan": reflect.TypeFor[savedRun](),
	"performability": reflect.TypeFor[performed](), "paper": reflect.TypeFor[paperCell](),
	"progress": reflect.TypeFor[happening](), "run": reflect.TypeFor[report.Document](),
	"simulation": reflect.TypeFor[simulatedAnswer](),
	"validation": reflect.TypeFor[validationAnswer](),
	"recheck":    reflect.TypeFor[recheckedAnswer](), "farm-status": reflect.TypeFor[farmStatus](),
}

// TestSchemas compares the documents with what the types say: -update writes them anew.
func TestSchemas(t *testing.T) {
	types := maps.Clone(siteTypes())
	for name, typ := range answerTypes {
		types[formatName(name)] = typ
	}
	names := slices.Sorted(maps.Keys(types))
	docs := map[string]map[string]map[string]string{}
	for _, name := range names {
		g := &generator{t: t, defs: map[string]any{}, docs: docs}
		doc := g.root(name, types[name])
		b, err := json.MarshalIndent(doc, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		b = append(b, '\n')
		file := schemaFile(name)
		if *update {
			if err := os.WriteFile(file, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(b)); diff != "" {
			t.Errorf("%s (-want +got); rewrite with -update, and think of the edition:\n%s", file,
				diff)
		}
	}
	files, err := filepath.Glob("schema/*.json")
	if err != nil || len(files) != len(names) {
		t.Errorf("documents %v of %v, %v", files, names, err)
	}
}

// siteTypes are the types of what sites have for programs, by the names of their formats.
func siteTypes() map[string]reflect.Type {
	types := map[string]reflect.Type{}
	for name, value := range site.Forms() {
		types[name] = reflect.TypeOf(value)
	}
	return types
}

// schemaFile is the document of a format: that of domino/site/check/1 is site-check.json.
func schemaFile(format string) string {
	name := strings.TrimPrefix(format, "domino/")
	name = name[:max(0, strings.LastIndex(name, "/"))]
	return filepath.Join("schema", strings.ReplaceAll(name, "/", "-")+".json")
}

// generator makes a JSON Schema of Go types, with the comments of their fields.
type generator struct {
	t    *testing.T
	defs map[string]any // by name of the type
	// comments of fields by package, type and field; of a package all at once
	docs map[string]map[string]map[string]string
}

var (
	asText = reflect.TypeFor[encoding.TextMarshaler]()
	asJSON = reflect.TypeFor[json.Marshaler]()
)

func (g *generator) root(name string, typ reflect.Type) map[string]any {
	doc := g.object(typ)
	doc["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	doc["$id"] = name
	doc["title"] = name
	if len(g.defs) > 0 {
		doc["$defs"] = g.defs
	}
	if name == formatName("progress") { // each command adds what it has done so far
		return doc
	}
	doc["properties"].(map[string]any)["schema"] = map[string]any{"const": name}
	return doc
}

// of is the schema of a type.
func (g *generator) of(typ reflect.Type) map[string]any {
	null := func(of map[string]any) map[string]any {
		return map[string]any{"anyOf": []any{of, map[string]any{"type": "null"}}}
	}
	switch {
	case typ.Kind() == reflect.Pointer:
		return null(g.of(typ.Elem()))
	case typ == reflect.TypeFor[json.RawMessage](), typ.Kind() == reflect.Interface:
		return map[string]any{}
	case typ.Implements(asJSON) || reflect.PointerTo(typ).Implements(asJSON):
		return map[string]any{}
	case typ.Implements(asText) || reflect.PointerTo(typ).Implements(asText):
		return map[string]any{"type": "string"}
	}
	if typ == reflect.TypeFor[trace.Role]() {
		return map[string]any{"enum": trace.AllRoles()}
	}
	switch typ.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Uint64:
		return map[string]any{"$comment": "above 2^53 sixteen hexadecimal digits, null = no bound",
			"type": []any{"integer", "string", "null"}, "pattern": "^[0-9a-f]{16}$", "minimum": 0}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Slice:
		if typ.Elem().Kind() == reflect.Uint8 {
			return map[string]any{"type": "string"}
		}
		return null(map[string]any{"type": "array", "items": g.of(typ.Elem())})
	case reflect.Array:
		return map[string]any{"type": "array", "items": g.of(typ.Elem())}
	case reflect.Map:
		return null(map[string]any{"type": "object", "additionalProperties": g.of(typ.Elem())})
	case reflect.Struct:
		if typ.Name() == "" {
			return g.object(typ)
		}
		name := strings.ReplaceAll(typ.String(), ".", "-")
		if _, ok := g.defs[name]; !ok {
			g.defs[name] = nil // it may hold itself
			g.defs[name] = g.object(typ)
		}
		return map[string]any{"$ref": "#/$defs/" + name}
	}
	g.t.Fatalf("no schema for a %v", typ)
	return nil
}

// object is the schema of a struct: a field that may be left out is not required.
func (g *generator) object(typ reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	g.fields(typ, properties, &required)
	slices.Sort(required)
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

func (g *generator) fields(typ reflect.Type, properties map[string]any, required *[]string) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, tagged := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case name == "-":
			continue
		case f.Anonymous && name == "" && inner.Kind() == reflect.Struct:
			g.fields(inner, properties, required)
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		p := g.of(f.Type)
		if words := g.comment(typ, f.Name); words != "" {
			p = maps.Clone(p)
			p["description"] = words
		}
		properties[name] = p
		optional := tagged && (strings.Contains(options, "omitempty") ||
			strings.Contains(options, "omitzero"))
		*required = slices.DeleteFunc(*required, func(n string) bool { return n == name })
		if !optional {
			*required = append(*required, name)
		}
	}
}

// comment is what the source says about a field.
func (g *generator) comment(typ reflect.Type, field string) string {
	if _, ok := g.docs[typ.PkgPath()]; !ok {
		g.docs[typ.PkgPath()] = g.comments(typ.PkgPath())
	}
	return g.docs[typ.PkgPath()][typ.Name()][field]
}

// comments are those of the fields of the structs of a package of ours, by type and field.
func (g *generator) comments(path string) map[string]map[string]string {
	dir, inside := strings.CutPrefix(path, "github.com/domino-check/domino/")
	if !inside {
		return nil
	}
	docs := map[string]map[string]string{}
	files, _ := filepath.Glob(filepath.Join("../../..", dir, "*.go"))
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			g.t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if s, ok := n.(*ast.TypeSpec); ok {
				if st, ok := s.Type.(*ast.StructType); ok {
					if docs[s.Name.Name] == nil {
						docs[s.Name.Name] = map[string]string{}
					}
					describe(docs[s.Name.Name], st)
				}
			}
			return true
		})
	}
	return docs
}

// describe takes the comments of the fields of a struct.
func describe(docs map[string]string, st *ast.StructType) {
	for _, f := range st.Fields.List {
		words := strings.TrimSpace(f.Doc.Text() + f.Comment.Text())
		for _, n := range f.Names {
			docs[n.Name] = strings.Join(strings.Fields(words), " ")
		}
	}
}

// valid holds a JSON object against the document of its format.
func valid(t *testing.T, text []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	object, _ := v.(map[string]any)
	name, _ := object["schema"].(string)
	doc, err := os.ReadFile(schemaFile(name))
	if err != nil {
		t.Errorf("%v in %.200s", err, text)
		return
	}
	var root map[string]any
	if err := json.Unmarshal(doc, &root); err != nil {
		t.Fatal(err)
	}
	c := schemaCheck{root: root}
	if err := c.check(root, v, name); err != nil {
		t.Error(err)
	}
	for _, part := range []string{"evidence", "answer"} { // which have formats of their own
		if inner, ok := object[part]; ok {
			b, err := json.Marshal(inner)
			if err != nil {
				t.Fatal(err)
			}
			valid(t, b)
		}
	}
}

// schemaCheck holds values against a schema: the words that TestSchemas writes, and no others. What
// is more, a field that the schema does not know is an error, and so is any number above 2^53.
type schemaCheck struct{ root map[string]any }

func (c *schemaCheck) check(s map[string]any, v any, at string) error {
	if ref, ok := s["$ref"].(string); ok {
		defs := c.root["$defs"].(map[string]any)
		return c.check(defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any), v, at)
	}
	if want, ok := s["const"]; ok && v != want {
		return fmt.Errorf("%s is %v, want %v", at, v, want)
	}
	if list, ok := s["enum"].([]any); ok && !slices.Contains(list, v) {
		return fmt.Errorf("%s is %v, want one of %v", at, v, list)
	}
	if list, ok := s["anyOf"].([]any); ok {
		var first error
		for _, one := range list {
			err := c.check(one.(map[string]any), v, at)
			if err == nil {
				return nil
			}
			if first == nil {
				first = err
			}
		}
		return first
	}
	if err := c.typed(s, v, at); err != nil {
		return err
	}
	switch v := v.(type) {
	case json.Number:
		n, err := v.Float64()
		if err != nil || n > 1<<53 || n < -1<<53 {
			return fmt.Errorf("%s: %s is rounded by readers", at, v)
		}
		if least, ok := s["minimum"].(float64); ok && n < least {
			return fmt.Errorf("%s is %s, want at least %v", at, v, least)
		}
	case string:
		pattern, ok := s["pattern"].(string)
		if ok && !regexp.MustCompile(pattern).MatchString(v) {
			return fmt.Errorf("%s is %q, want %s", at, v, pattern)
		}
	case []any:
		items, ok := s["items"].(map[string]any)
		for i, e := range v {
			if !ok {
				items = map[string]any{}
			}
			if err := c.check(items, e, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		return c.object(s, v, at)
	}
	return nil
}

func (c *schemaCheck) object(s, v map[string]any, at string) error {
	properties, _ := s["properties"].(map[string]any)
	more, mapped := s["additionalProperties"].(map[string]any)
	for name, inner := range v {
		p, known := properties[name].(map[string]any)
		switch {
		case known:
		case mapped:
			p = more
		case properties != nil && s["$id"] != formatName("progress"):
			return fmt.Errorf("%s has a field %s, which is not documented", at, name)
		default:
			p = map[string]any{}
		}
		if err := c.check(p, inner, at+"."+name); err != nil {
			return err
		}
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			return fmt.Errorf("%s lacks the field %v", at, name)
		}
	}
	return nil
}

func (c *schemaCheck) typed(s map[string]any, v any, at string) error {
	var types []any
	switch t := s["type"].(type) {
	case nil:
		return nil
	case string:
		types = []any{t}
	case []any:
		types = t
	}
	is := ""
	switch v := v.(type) {
	case nil:
		is = "null"
	case bool:
		is = "boolean"
	case string:
		is = "string"
	case json.Number:
		is = "integer"
		if strings.ContainsAny(v.String(), ".eE") {
			is = "number"
		}
	case []any:
		is = "array"
	case map[string]any:
		is = "object"
	}
	if !slices.Contains(types, any(is)) &&
		(is != "integer" || !slices.Contains(types, any("number"))) {
		return fmt.Errorf("%s is %s (%.60v), want %v", at, is, v, types)
	}
	return nil
}

// TestSchemaCheck: the check of documents finds what is wrong with one.
func TestSchemaCheck(t *testing.T) {
	doc, err := os.ReadFile("schema/version.json")
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(doc, &root); err != nil {
		t.Fatal(err)
	}
	good := `{"schema":"domino/version/2","domino":"x","version":"v1","go":"go1"`
	for _, tt := range []struct{ text, want string }{
		{good + `}`, ""},
		{good + `,"modified":true}`, ""},
		{good + `,"modified":1}`, "version.modified is integer"},
		{good + `,"more":1}`, "field more, which is not documented"},
		{strings.Replace(good, "version/2", "version/1", 1) + `}`, "want domino/version/2"},
		{`{"schema":"domino/version/2","domino":"x","version":"v1"}`, "lacks the field go"},
		{strings.Replace(good, `"v1"`, "9007199254740993", 1) + `}`, "version.version is integer"},
	} {
		d := json.NewDecoder(strings.NewReader(tt.text))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint((&schemaCheck{root}).check(root, v, "version"))
		if !strings.Contains(strings.Replace(got, "<nil>", "", 1), tt.want) ||
			(tt.want == "") != (got == "<nil>") {
			t.Errorf("%s: %s, want %q", tt.text, got, tt.want)
		}
	}
	hex := map[string]any{"type": []any{"integer", "string"}, "pattern": "^[0-9a-f]{2}$",
		"minimum": 0.}
	for value, want := range map[any]string{json.Number("0"): "", json.Number("-1"): "at least 0",
		"0f": "", "0F": "want ^[0-9a-f]", "0ff": "want ^[0-9a-f]"} {
		if got := fmt.Sprint((&schemaCheck{}).check(hex, value, "n")); (want == "") !=
			(got == "<nil>") || !strings.Contains(got, want) {
			t.Errorf("%v: %s, want %q", value, got, want)
		}
	}
	one := map[string]any{"enum": []any{"rank", "logger"}}
	if (&schemaCheck{}).check(one, "rank", "n") != nil ||
		(&schemaCheck{}).check(one, "clerk", "n") == nil {
		t.Error("a word of a list")
	}
	number := map[string]any{"type": "integer"}
	if err := (&schemaCheck{}).check(number, json.Number("9007199254740994"), "n"); err == nil {
		t.Error("a number above 2^53 passes")
	}
}
