package framework

import (
	"path"
	"strings"
)

// directoryType is the media type of a directory resource (Skills extension,
// "Directory Resources").
const directoryType = "inode/directory"

// mimeTypes is a table of our own, since the tables of package mime differ from
// machine to machine.
var mimeTypes = map[string]string{
	".md": "text/markdown", ".markdown": "text/markdown", ".txt": "text/plain",
	".json": "application/json", ".yaml": "application/yaml", ".yml": "application/yaml",
	".xml": "application/xml", ".toml": "application/toml", ".csv": "text/csv", ".tsv": "text/tab-separated-values",
	".html": "text/html", ".htm": "text/html", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript",
	".ts": "text/x-typescript", ".py": "text/x-python", ".rb": "text/x-ruby", ".go": "text/x-go", ".rs": "text/x-rust",
	".sh": "application/x-sh", ".bash": "application/x-sh", ".ps1": "text/x-powershell", ".sql": "application/sql",
	".proto": "text/x-protobuf", ".graphql": "application/graphql", ".tmpl": "text/plain",
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".svg": "image/svg+xml", ".pdf": "application/pdf", ".zip": "application/zip", ".gz": "application/gzip",
	".wasm": "application/wasm", ".ttf": "font/ttf", ".woff2": "font/woff2",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}

// validMIMEType reports whether a file may have the media type t: printable
// ASCII, since it goes into messages, and not that of directories.
func validMIMEType(t string) bool {
	for i := 0; i < len(t); i++ {
		if t[i] < ' ' || t[i] >= 0x7f {
			return false
		}
	}
	return t != directoryType
}

// mimeType returns the media type of a file.
func mimeType(f *File) string {
	if f.MIMEType != "" && f.Name != skillFile {
		return f.MIMEType
	}
	if t, ok := mimeTypes[strings.ToLower(path.Ext(f.Name))]; ok {
		return t
	}
	return "application/octet-stream"
}
