package ingest

import "testing"

// BenchmarkLoad compares the index with a whole load, on a document of 13 MB.
func BenchmarkLoad(b *testing.B) {
	data := corpus(b, "github-api.json")
	b.Run("Index", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Load("github-api.json", data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Kin", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := kinLoad(data); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSmall makes the small documents of a whole document, one after the
// other; an iteration is one operation.
func BenchmarkSmall(b *testing.B) {
	for _, name := range []string{"github-api.json", "stripe.json"} {
		b.Run(name, func(b *testing.B) {
			doc, err := Load(name, corpus(b, name))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				doc.Small(&doc.Operations[i%len(doc.Operations)], budget)
			}
		})
	}
}
