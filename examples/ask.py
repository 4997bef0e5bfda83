# Signs in with Python alone, and spends credit if a key pair and a cluster are named.
import base64
import datetime
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
TIME = "%Y-%m-%dT%H:%M:%S.%f"


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


class Refused(Exception):
    """The gateway's answer is an error, or asks for a signature for another place."""


class Gateway:
    """A gateway as one wallet sees it; `seed` is the first 32 bytes of a Solana key pair."""

    def __init__(self, origin, seed):
        self.origin = origin
        self.key = Ed25519PrivateKey.from_private_bytes(seed)
        self.address = base58(self.key.public_key().public_bytes_raw())
        self.held = {}

    def ask(self, path, body=None, spends=None):
        """The JSON of a path. `spends` is the cluster whose credit pays for it: mainnet or devnet."""
        challenge = self.held.pop(spends, None)
        headers = self.sign(path, challenge) if challenge else {"Prefer": "credit"} if spends else {}
        status, sent, answer = self.send(path, body, headers)
        fresh = answer.get("extensions", {}).get("sign-in-with-x")
        if status == 402 and fresh and answer["error"] != "credit_exhausted":
            challenge = dict(fresh["info"], chainId=fresh["supportedChains"][0]["chainId"], seen=time.monotonic())
            status, sent, answer = self.send(path, body, self.sign(path, challenge))
        if challenge and "Replay-Nonce" in sent:
            self.held[spends] = dict(challenge, nonce=sent["Replay-Nonce"])
        if status != 200:
            raise Refused(f"{status} {answer['error']}: {answer['message']}")
        return answer

    def sign(self, path, challenge):
        # Another origin could use the signature there.
        if challenge["domain"] != urllib.parse.urlsplit(self.origin).netloc:
            raise Refused(f"the challenge asks for a signature for {challenge['domain']}")
        # The gateway's clock: the challenge's time plus the time since.
        issued = datetime.datetime.strptime(challenge["issuedAt"], TIME + "Z")
        issued += datetime.timedelta(seconds=time.monotonic() - challenge["seen"])
        payload = {
            "domain": challenge["domain"],
            "address": self.address,
            "uri": self.origin + path.split("?")[0],
            "version": "1",
            "chainId": challenge["chainId"],
            "type": "ed25519",
            "nonce": challenge["nonce"],
            "issuedAt": issued.strftime(TIME)[:-3] + "Z",
        }
        statement = challenge.get("statement")
        if statement:  # Names the most that a call from credit may cost.
            payload["statement"] = statement
        text = (
            f"{payload['domain']} wants you to sign in with your Solana account:\n{self.address}\n\n"
            f"{statement + chr(10) + chr(10) if statement else ''}"
            f"URI: {payload['uri']}\nVersion: 1\nChain ID: {payload['chainId'].split(':')[1]}\n"
            f"Nonce: {payload['nonce']}\nIssued At: {payload['issuedAt']}"
        )
        payload["signature"] = base58(self.key.sign(text.encode()))
        return {"SIGN-IN-WITH-X": base64.b64encode(json.dumps(payload).encode()).decode()}

    def send(self, path, body, headers):
        data = None if body is None else json.dumps(body).encode()
        headers = dict(headers, **({} if data is None else {"Content-Type": "application/json"}))
        try:
            response = urllib.request.urlopen(urllib.request.Request(self.origin + path, data, headers), timeout=30)
        except urllib.error.HTTPError as error:
            response = error
        except urllib.error.URLError:
            raise SystemExit(f"Nothing answers at {self.origin}. Run npm start in another terminal first.") from None
        with response:
            return response.status, response.headers, json.load(response)


if __name__ == "__main__":
    file, cluster = (sys.argv[1:] + [None, None])[:2]
    seed = os.urandom(32)
    if file:  # such as ~/.config/solana/id.json
        with open(file) as text:
            seed = bytes(json.load(text)[:32])
    gateway = Gateway(os.environ.get("ASSET_GATEWAY_URL", "http://localhost:8402"), seed)
    try:
        for word in ("gold", "sol"):
            print(gateway.ask(f"/v1/x402/tokens/assets/search?q={word}")["result"]["query"])
        for _ in range(2 if cluster else 0):
            path = f"/v1/x402/solana/{cluster}/helius/rpc/getBalance"
            print(gateway.ask(path, {"params": [gateway.address]}, spends=cluster)["priceUsd"])
    except Refused as refused:
        raise SystemExit(str(refused)) from None
