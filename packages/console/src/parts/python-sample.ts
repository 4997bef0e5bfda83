import type { Sample, SampledCall } from './samples.ts';
import { withEscapes } from './text.ts';

/** A value as Python source. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${Array.from(value, literal).join(', ')}]`;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null || value === undefined) return 'None';
  if (typeof value !== 'object') return withEscapes(JSON.stringify(value));
  const members = Object.entries(value).map(([name, each]) => `${literal(name)}: ${literal(each)}`);
  return `{${members.join(', ')}}`;
}

const ASK = `
def ask(headers):
    try:
        response = urllib.request.urlopen(urllib.request.Request(URL, BODY, headers))
    except urllib.error.HTTPError as error:
        response = error
    return response.read().decode()
`;

const SIGN = `
def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\\0"))) + text


def sign_in(info, chain):
    if info["domain"] != urllib.parse.urlsplit(URL).netloc:
        raise SystemExit("the challenge is for another gateway: " + info["domain"])
    address = base58(KEY.public_key().public_bytes_raw())
    text = f"{info['domain']} wants you to sign in with your Solana account:\\n{address}\\n"
    if "statement" in info:
        text += f"\\n{info['statement']}\\n"
    text += f"\\nURI: {info['uri']}\\nVersion: {info['version']}\\nChain ID: {chain.split(':')[1]}"
    text += f"\\nNonce: {info['nonce']}\\nIssued At: {info['issuedAt']}"
    if "expirationTime" in info:
        text += f"\\nExpiration Time: {info['expirationTime']}"
    signature = base58(KEY.sign(text.encode()))
    payload = {**info, "address": address, "chainId": chain, "type": "ed25519", "signature": signature}
    return {"SIGN-IN-WITH-X": base64.b64encode(json.dumps(payload).encode()).decode()}
`;

const SIGNED = `
answer = ask(HEADERS)
challenge = json.loads(answer).get("extensions", {}).get("sign-in-with-x")
if challenge:
    chain = challenge["supportedChains"][0]["chainId"]
    answer = ask({**HEADERS, **sign_in(challenge["info"], chain)})
print(answer)
`;

const WALLET_KEY = `with open("wallet.json") as file:  # a Solana CLI key file
    KEY = Ed25519PrivateKey.from_private_bytes(bytes(json.load(file)[:32]))`;

function noteOf({ access, credit }: SampledCall): string | undefined {
  if (access !== 'exact') return undefined;
  return credit === 'accepted'
    ? 'It pays from the credit of wallet.json. Buy credit with the CLI, in TypeScript or under Wallet.'
    : 'Python does not pay here: it prints what to pay.';
}

/** A call in Python, with the standard library and, where it signs, `cryptography`. */
export function pythonSample(call: SampledCall): Sample {
  const { family, url, body, access, credit } = call;
  const isSigned = access === 'siwx' || credit === 'accepted';
  const ownsKey = credit === 'accepted' || family === 'credit';
  const headers = {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(credit === 'accepted' && { Prefer: 'credit' }),
  };
  const modules = isSigned ? ['base64', 'json'] : body === undefined ? [] : ['json'];
  const text = [
    ...(isSigned ? ['# pip install cryptography'] : []),
    ...[...modules, 'urllib.error', ...(isSigned ? ['urllib.parse'] : []), 'urllib.request'].map(
      (name) => `import ${name}`,
    ),
    ...(isSigned ? ['', 'from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey'] : []),
    '',
    `URL = ${literal(url)}`,
    `BODY = ${body === undefined ? 'None' : `json.dumps(${literal(body)}).encode()`}`,
    `HEADERS = ${literal(headers)}`,
    ...(isSigned ? [ownsKey ? WALLET_KEY : 'KEY = Ed25519PrivateKey.generate()  # any wallet may sign in'] : []),
    '',
    ...(isSigned ? [ASK, SIGN, SIGNED] : [ASK, '\nprint(ask(HEADERS))']),
  ].join('\n');
  const note = noteOf(call);
  return { title: 'Python', text: text.trimEnd(), ...(note && { note }) };
}
