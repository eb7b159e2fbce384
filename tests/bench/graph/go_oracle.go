// What go/types says each call of a module calls, as JSON lines: go run go_oracle.go FOLDER.
// Packages of other modules are not loaded: what needs them stays unknown.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
)

type row struct {
	Path    string      `json:"path"`
	Line    int         `json:"line"`
	Name    string      `json:"name"`
	Method  bool        `json:"method"`
	Targets [][2]string `json:"targets"`
}

type taken struct {
	Path   string   `json:"path"`
	Line   int      `json:"line"`
	Import []string `json:"import"`
}

type loader struct {
	root, module string
	set          *token.FileSet
	known        map[string]*types.Package
	standard     types.Importer
}

func (l *loader) Import(path string) (*types.Package, error) {
	if found, ok := l.known[path]; ok && found != nil {
		return found, nil
	}
	if path == l.module || strings.HasPrefix(path, l.module+"/") {
		folder := filepath.Join(l.root, strings.TrimPrefix(path, l.module))
		found, _, _ := l.check(path, folder, false, false)
		if found != nil {
			l.known[path] = found
			return found, nil
		}
	}
	if strings.Contains(strings.Split(path, "/")[0], ".") {
		return nil, fmt.Errorf("not loaded: %s", path)
	}
	return l.standard.Import(path)
}

// The package of a folder, or the one that tests it from outside (beside).
func (l *loader) check(path, folder string, tests, beside bool) (*types.Package, *types.Info, []*ast.File) {
	groups, err := parser.ParseDir(l.set, folder, nil, 0)
	if err != nil && groups == nil {
		return nil, nil, nil
	}
	var files []*ast.File
	for name, group := range groups {
		if strings.HasSuffix(name, "_test") != beside {
			continue
		}
		for place, file := range group.Files {
			if tests || !strings.HasSuffix(place, "_test.go") {
				files = append(files, file)
			}
		}
	}
	if len(files) == 0 {
		return nil, nil, nil
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: l, Error: func(error) {}, FakeImportC: true}
	found, _ := config.Check(path, l.set, files, info)
	return found, info, files
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	text, _ := os.ReadFile(filepath.Join(root, "go.mod"))
	module := strings.Fields(strings.SplitN(string(text), "\n", 2)[0])[1]
	set := token.NewFileSet()
	l := &loader{root, module, set, map[string]*types.Package{}, importer.ForCompiler(set, "source", nil)}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := json.NewEncoder(out)
	filepath.WalkDir(root, func(folder string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") && folder != root {
			return nil
		}
		below, _ := filepath.Rel(root, folder)
		for _, beside := range []bool{false, true} {
			_, info, files := l.check(strings.TrimSuffix(module+"/"+filepath.ToSlash(below), "/."), folder, true, beside)
			for _, file := range files {
				l.imported(file, lines)
				ast.Inspect(file, func(node ast.Node) bool {
					if call, ok := node.(*ast.CallExpr); ok {
						l.told(call, info, lines)
					}
					return true
				})
			}
		}
		return nil
	})
}

// An import leads to the folder whose files were loaded for its path, written with a slash.
func (l *loader) imported(file *ast.File, lines *json.Encoder) {
	for _, one := range file.Imports {
		place := l.set.Position(one.Pos())
		path, _ := filepath.Rel(l.root, place.Filename)
		folders := []string{}
		name := strings.Trim(one.Path.Value, "\"")
		if l.known[name] != nil {
			folders = append(folders, strings.TrimPrefix(strings.TrimPrefix(name, l.module), "/")+"/")
		}
		lines.Encode(taken{path, place.Line, folders})
	}
}

func (l *loader) told(call *ast.CallExpr, info *types.Info, lines *json.Encoder) {
	var word *ast.Ident
	method := false
	switch expression := call.Fun.(type) {
	case *ast.Ident:
		word = expression
	case *ast.SelectorExpr:
		word = expression.Sel
		method = true
		if on, ok := expression.X.(*ast.Ident); ok {
			if _, ok := info.Uses[on].(*types.PkgName); ok {
				method = false
			}
		}
	default:
		return
	}
	place := l.set.Position(word.Pos())
	path, _ := filepath.Rel(l.root, place.Filename)
	found := row{path, place.Line, word.Name, method, [][2]string{}}
	if object := info.Uses[word]; object != nil {
		if _, builtin := object.(*types.Builtin); builtin {
			return
		}
		if _, ok := object.(*types.TypeName); ok {
			return // a conversion
		}
		at := l.set.Position(object.Pos())
		below, err := filepath.Rel(l.root, at.Filename)
		_, callable := object.(*types.Func)
		if err == nil && at.Filename != "" && !strings.HasPrefix(below, "..") && callable {
			found.Targets = append(found.Targets, [2]string{below, object.Name()})
		} else {
			found.Targets = append(found.Targets, [2]string{"", object.Name()})
		}
	}
	lines.Encode(found)
}
