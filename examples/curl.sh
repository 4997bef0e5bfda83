# Signs in with curl and openssl alone, twice with one challenge.
cd "$(mktemp -d)"
openssl genpkey -algorithm ed25519 -out wallet.pem

base58() {
  od -An -v -tu1 | awk '
    { for (i = 1; i <= NF; i++) bytes[count++] = $i }
    END {
      alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
      size = 0
      for (i = 0; i < count; i++) {
        carry = bytes[i]
        for (j = 0; j < size; j++) { carry += 256 * digits[j]; digits[j] = carry % 58; carry = int(carry / 58) }
        while (carry > 0) { digits[size++] = carry % 58; carry = int(carry / 58) }
      }
      for (i = 0; i < count && bytes[i] == 0; i++) printf "1"
      while (size > 0) printf "%s", substr(alphabet, digits[--size] + 1, 1)
    }'
}

address=$(openssl pkey -in wallet.pem -pubout -outform DER | tail -c 32 | base58)

gateway=${ASSET_GATEWAY_URL:-http://localhost:8402}
url="$gateway/v1/x402/tokens/assets/solana"
chain='5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'

# All fields to sign; one field by name.
info=$(curl -s "$url" | sed 's/.*"sign-in-with-x":{"info":{\([^}]*\)}.*/\1/')
[ -n "$info" ] || { echo "Nothing answers at $gateway. Run npm start in another terminal first." >&2; exit 1; }
field() { printf '%s' "$info" | sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }

sign_in() {
  {
    printf '%s wants you to sign in with your Solana account:\n%s\n\n' "$(field domain)" "$address"
    printf '%s\n\nURI: %s\nVersion: %s\n' "$(field statement)" "$(field uri)" "$(field version)"
    printf 'Chain ID: %s\nNonce: %s\nIssued At: %s' "$chain" "$(field nonce)" "$(field issuedAt)"
    [ -z "$(field expirationTime)" ] || printf '\nExpiration Time: %s' "$(field expirationTime)"
  } > text
  signature=$(openssl pkeyutl -sign -rawin -inkey wallet.pem -in text | base58)
  printf '{%s,"address":"%s","chainId":"solana:%s","type":"ed25519","signature":"%s"}' \
    "$info" "$address" "$chain" "$signature" | openssl base64 -A
}

curl -s -D headers -H "SIGN-IN-WITH-X: $(sign_in)" "$url"
echo

url="$gateway/v1/x402/tokens/assets/search?q=gold"
nonce=$(tr -d '\r' < headers | sed -n 's/^[Rr]eplay-[Nn]once: \([0-9A-Za-z_-]*\)$/\1/p')
info=$(printf '%s' "$info" | sed \
  -e "s|\"nonce\":\"[^\"]*\"|\"nonce\":\"$nonce\"|" \
  -e "s|\"uri\":\"[^\"]*\"|\"uri\":\"${url%%\?*}\"|" \
  -e "s|\"issuedAt\":\"[^\"]*\"|\"issuedAt\":\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\"|" \
  -e 's|,"expirationTime":"[^"]*"||')

curl -s -D headers -H "SIGN-IN-WITH-X: $(sign_in)" "$url"
echo
