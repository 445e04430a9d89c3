// Files of results as resources: lists, links and contents.

package mcp

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"repscope/internal/gunzip"
	"repscope/internal/regular"
	"repscope/report"
)

// mostResource is the most bytes of a resource.
const mostResource = 4 << 20

// types are the files of runs that clients may read, by ending.
var types = map[string]string{".json": "application/json", ".csv": "text/csv", ".md": "text/markdown",
	".tex": "text/x-tex", ".bib": "text/x-bibtex",
	".svg": "image/svg+xml", ".png": "image/png", ".pdf": "application/pdf", report.SumsEnding: "text/plain"}

// uriOf is the address of a file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// pathOf is the file of an address.
func pathOf(uri string) (string, error) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || u.Path == "" {
		return "", faultOf(codeInvalidParams, "uri %q: want the file:// address of a file of a result", uri)
	}
	path := filepath.FromSlash(u.Path)
	if drive := strings.TrimPrefix(path, `\`); filepath.VolumeName(drive) != "" {
		path = drive
	}
	return path, nil
}

// kindOf is the type of the content of a file, which may be compressed; empty if clients may not read it.
func kindOf(path string) string { return types[filepath.Ext(gunzip.Name(path))] }

// resource describes a file.
func resource(path string) object {
	return object{"uri": uriOf(path), "name": filepath.Base(path), "mimeType": kindOf(path)}
}

// links are the files of a run as links: results always, figures where they are wanted as links.
func (s *server) links(paths []string, figures string) (content []object) {
	for _, path := range paths {
		kind := kindOf(path)
		figure := strings.HasPrefix(kind, "image/") || kind == "application/pdf"
		if kind == "" || figure && figures != "links" {
			continue
		}
		one := resource(path)
		one["type"] = "resource_link"
		content = append(content, one)
	}
	return content
}

// listResources lists the results in the roots.
func (s *server) listResources(q *request) (object, error) {
	var p struct {
		Cursor string `json:"cursor"`
	}
	if len(q.params) > 0 && json.Unmarshal(q.params, &p) != nil {
		return nil, faultOf(codeInvalidParams, "cursor: want a text")
	}
	list, _, err := s.inFolders(q, s.roots.folders)
	if err != nil {
		return nil, err
	}
	page, next, err := pageOf(list, p.Cursor, pageSize)
	if err != nil {
		return nil, err
	}
	resources := []object{}
	for _, file := range page {
		one := resource(file.path)
		one["size"] = file.size
		one["description"] = "result " + file.path
		resources = append(resources, one)
	}
	result := object{"resources": resources}
	if next != "" {
		result["nextCursor"] = next
	}
	return result, nil
}

// readResource reads a file in the folder of a result.
func (s *server) readResource(q *request) (object, error) {
	var p struct {
		URI string `json:"uri"`
	}
	if json.Unmarshal(q.params, &p) != nil {
		return nil, faultOf(codeInvalidParams, "uri: want a text")
	}
	path, err := pathOf(p.URI)
	if err != nil {
		return nil, err
	}
	kind := kindOf(path)
	if kind == "" || !filepath.IsAbs(path) {
		return nil, faultOf(codeInvalidParams, "uri %q: want the file:// address of a file of a result", p.URI)
	}
	file, err := s.roots.open(path)
	if err != nil {
		return nil, faultOf(codeInvalidParams, "%v", regular.PathError(err))
	}
	defer file.Close()
	data, err := regular.All(q.ctx, path, file, mostResource)
	if err == nil {
		data, err = expanded(path, data, mostResource)
	}
	if err != nil {
		return nil, err
	}
	content := object{"uri": p.URI, "mimeType": kind}
	if text := strings.HasPrefix(kind, "text/") || kind == "application/json" || kind == "image/svg+xml"; text &&
		utf8.Valid(data) {
		content["text"] = string(data)
	} else {
		content["blob"] = base64.StdEncoding.EncodeToString(data)
	}
	return object{"contents": []object{content}}, nil
}
