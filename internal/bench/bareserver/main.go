package main

import (
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 2 {
		log.Fatal("usage: bareserver ADDR [FILE...]")
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	for i, file := range os.Args[2:] {
		body, err := os.ReadFile(file)
		if err != nil {
			log.Fatal(err)
		}
		length := strconv.Itoa(len(body))
		mux.HandleFunc("/"+strconv.Itoa(i), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", length)
			w.Write(body)
		})
	}
	l, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.Serve(l, mux))
}
