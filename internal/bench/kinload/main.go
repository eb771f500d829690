package main

import (
	"encoding/json"
	"log"
	"os"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/apiskills/apiskills/internal/bench/proc"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: kinload FILE")
	}
	start := time.Now()
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	if _, err := openapi3.NewLoader().LoadFromData(data); err != nil {
		log.Fatal(err)
	}
	took := time.Since(start)
	memory, err := proc.Memory(os.Getpid())
	if err != nil {
		log.Fatal(err)
	}
	err = json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"milliseconds": float64(took.Microseconds()) / 1000,
		"peakMB":       memory.PeakMB,
	})
	if err != nil {
		log.Fatal(err)
	}
}
