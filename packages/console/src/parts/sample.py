def ask(headers):
    try:
        response = urllib.request.urlopen(urllib.request.Request(URL, BODY, headers))
    except urllib.error.HTTPError as error:
        response = error
    return response.read().decode()


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def sign_in(info, chain):
    if info["domain"] != urllib.parse.urlsplit(URL).netloc:
        raise SystemExit("the challenge is for another gateway: " + info["domain"])
    address = base58(KEY.public_key().public_bytes_raw())
    text = f"{info['domain']} wants you to sign in with your Solana account:\n{address}\n"
    if "statement" in info:
        text += f"\n{info['statement']}\n"
    text += f"\nURI: {info['uri']}\nVersion: {info['version']}\nChain ID: {chain.split(':')[1]}"
    text += f"\nNonce: {info['nonce']}\nIssued At: {info['issuedAt']}"
    if "expirationTime" in info:
        text += f"\nExpiration Time: {info['expirationTime']}"
    signature = base58(KEY.sign(text.encode()))
    payload = {**info, "address": address, "chainId": chain, "type": "ed25519", "signature": signature}
    return {"SIGN-IN-WITH-X": base64.b64encode(json.dumps(payload).encode()).decode()}


answer = ask(HEADERS)
challenge = json.loads(answer).get("extensions", {}).get("sign-in-with-x")
if challenge:
    chain = challenge["supportedChains"][0]["chainId"]
    answer = ask({**HEADERS, **sign_in(challenge["info"], chain)})
print(answer)
