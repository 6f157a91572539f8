// many_logs.go DIR STREAMS DELAY [PROTOCOL]: the API server of many_logs.py, with the HTTP/2 of a kube-apiserver.
//
// It answers with the files of DIR, keeps watches open, and has every log go on for ever with a stamped line a second.
// A connection carries STREAMS streams at once; what a client sends arrives DELAY later. PROTOCOL http/1.1 leaves
// HTTP/2 out. It prints its port.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

type piece struct {
	due  time.Time
	data []byte
	err  error
}

// slow is a connection whose bytes are under way for a while, as over a real network.
type slow struct {
	net.Conn
	pieces chan piece
	rest   piece
}

func (conn *slow) receive(delay time.Duration) {
	for {
		data := make([]byte, 16<<10)
		count, err := conn.Conn.Read(data)
		conn.pieces <- piece{time.Now().Add(delay), data[:count], err}
		if err != nil {
			return
		}
	}
}

func (conn *slow) Read(data []byte) (int, error) {
	if len(conn.rest.data) == 0 && conn.rest.err == nil {
		conn.rest = <-conn.pieces
		time.Sleep(time.Until(conn.rest.due))
	}
	if len(conn.rest.data) == 0 {
		return 0, conn.rest.err
	}
	count := copy(data, conn.rest.data)
	conn.rest.data = conn.rest.data[count:]
	return count, nil
}

type listener struct {
	net.Listener
	delay time.Duration
}

func (listener *listener) Accept() (net.Conn, error) {
	conn, err := listener.Listener.Accept()
	if err != nil {
		return nil, err
	}
	if listener.delay == 0 {
		return conn, nil
	}
	delayed := &slow{Conn: conn, pieces: make(chan piece, 1024)}
	go delayed.receive(listener.delay)
	return delayed, nil
}

func writeLog(answer http.ResponseWriter, request *http.Request) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	answer.Header().Set("Content-Type", "text/plain")
	for number := 1; ; number++ {
		stamp := time.Now().UTC().Format("2006-01-02T15:04:05.000000000Z")
		fmt.Fprintf(answer, "%s epoch %08d loss 0.1234567 lr 0.0010000 12345.6 samples/s gpu 0 mem 12345 MiB\n", stamp, number)
		answer.(http.Flusher).Flush()
		select {
		case <-ticker.C:
		case <-request.Context().Done():
			return
		}
	}
}

// Answers a request for one name as a real server does: with a list of one item.
func writeOne(answer http.ResponseWriter, folder, collection, name string) {
	object, err := os.ReadFile(filepath.Join(folder, filepath.Clean(collection+"/"+name+".json")))
	if err != nil {
		http.Error(answer, err.Error(), http.StatusNotFound)
		return
	}
	fmt.Fprintf(answer, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[%s]}`, object)
}

func main() {
	folder := os.Args[1]
	streams, _ := strconv.Atoi(os.Args[2])
	delay, _ := time.ParseDuration(os.Args[3])
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	slowly := &listener{Listener: socket, delay: delay}
	handle := func(answer http.ResponseWriter, request *http.Request) {
		switch {
		case strings.HasSuffix(request.URL.Path, "/log"):
			writeLog(answer, request)
		case request.URL.Query().Get("watch") != "":
			answer.(http.Flusher).Flush()
			<-request.Context().Done()
		default:
			answer.Header().Set("Content-Type", "application/json")
			if name, found := strings.CutPrefix(request.URL.Query().Get("fieldSelector"), "metadata.name="); found {
				writeOne(answer, folder, request.URL.Path, name)
				return
			}
			name := request.URL.Path + request.URL.Query().Get("continue") + ".json"
			http.ServeFile(answer, request, filepath.Join(folder, filepath.Clean(name)))
		}
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(len(os.Args) < 5)
	server := http.Server{Handler: http.HandlerFunc(handle), Protocols: &protocols,
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: streams}}
	fmt.Println(socket.Addr().(*net.TCPAddr).Port)
	panic(server.ServeTLS(slowly, filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")))
}
