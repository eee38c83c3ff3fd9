package tidy

import (
	"go/ast"
	"go/types"
	"path"
)

// resolver type-checks the cores, so that a rule can ask what is a map and which
// variable an identifier means. It is lenient: it goes on after type errors, and
// a package that it cannot or need not read (third party, or banned in cores
// anyway) is empty. What comes from such a package has an unknown type, and a
// rule must treat unknown as suspect.
type resolver struct {
	tree   *tree
	loaded map[string]*types.Package
}

// newResolver returns a resolver for the packages of a tree.
func newResolver(t *tree) *resolver {
	return &resolver{tree: t, loaded: map[string]*types.Package{}}
}

// core type-checks the non-test files of a folder, bodies included.
func (r *resolver) core(f *folder) *types.Info {
	info := &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
	}
	r.typeCheck(f, info)
	return info
}

// Import returns the package at an import path, for the type checker. It never
// fails: a package that is not there is empty.
func (r *resolver) Import(imported string) (*types.Package, error) {
	if imported == "unsafe" {
		return types.Unsafe, nil
	}
	if p, ok := r.loaded[imported]; ok {
		return p, nil
	}
	empty := types.NewPackage(imported, path.Base(imported))
	empty.MarkComplete()
	r.loaded[imported] = empty // also what an import cycle meets
	if dir, ok := r.tree.internal(imported); ok {
		if f := r.tree.folder(dir); f != nil {
			r.loaded[imported] = r.typeCheck(f, nil)
		}
		return r.loaded[imported], nil
	}
	if thirdParty(imported) || bannedImport(imported) {
		return empty, nil
	}
	if p, err := r.tree.std.Import(imported); err == nil {
		r.loaded[imported] = p
	}
	return r.loaded[imported], nil
}

// typeCheck checks the non-test files of a folder as one package. Without info
// it reads declarations only, which is all that an importer needs.
func (r *resolver) typeCheck(f *folder, info *types.Info) *types.Package {
	var files []*ast.File
	for _, s := range f.code() {
		files = append(files, s.ast)
	}
	config := types.Config{
		Importer:         r,
		IgnoreFuncBodies: info == nil,
		Error:            func(error) {}, // the compiler reports these better
	}
	p, _ := config.Check(path.Join(r.tree.module, f.dir), r.tree.fset, files, info)
	return p
}

// isMap tells whether ranging over a value of type t visits a map; a type
// parameter counts if one of its types is a map.
func isMap(t types.Type) bool {
	if parameter, ok := types.Unalias(t).(*types.TypeParam); ok {
		t = parameter.Constraint()
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Interface:
		for i := range u.NumEmbeddeds() {
			if hasMapTerm(u.EmbeddedType(i)) {
				return true
			}
		}
	}
	return false
}

// hasMapTerm tells whether a type in a constraint is or may be a map.
func hasMapTerm(t types.Type) bool {
	union, ok := t.(*types.Union)
	if !ok {
		return isMap(t)
	}
	for i := range union.Len() {
		if isMap(union.Term(i).Type()) {
			return true
		}
	}
	return false
}

// isUnknown tells whether the type checker could not find a type.
func isUnknown(t types.Type) bool {
	return t == nil || t == types.Typ[types.Invalid]
}
