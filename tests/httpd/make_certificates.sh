#!/bin/sh
# Writes two CAs and what the tests of the transport and of conformance need signed by them into the directory $1.
set -eu
cd "$1"

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }

# ca NAME: a self-signed authority.
ca() {
  key "$1"
  openssl req -new -x509 -key "$1.key" -subj "/CN=$1" -days 2 -out "$1.pem"
}

# signed NAME CA DAYS EXTENSION
signed() {
  key "$1"
  printf '%s\n' "$4" > "$1.ext"
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -CAcreateserial -days "$3" \
    -extfile "$1.ext" -out "$1.pem"
}

ca cluster-ca
ca other-ca
signed server cluster-ca 2 "subjectAltName=IP:127.0.0.1,IP:::1,DNS:localhost,DNS:kube.test"
signed other-server other-ca 2 "subjectAltName=IP:127.0.0.1,IP:::1,DNS:localhost,DNS:kube.test"
signed misnamed cluster-ca 2 "subjectAltName=DNS:kube.test"
signed expired cluster-ca -1 "subjectAltName=IP:127.0.0.1"
signed client cluster-ca 2 "extendedKeyUsage=clientAuth"
signed other-client cluster-ca 2 "extendedKeyUsage=clientAuth"
