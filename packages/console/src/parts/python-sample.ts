import { withEscapes } from '@asset-gateway/protocol';
import SOURCE from './sample.py?raw';
import type { Sample, SampledCall } from './samples.ts';

/** Returns a value as Python source. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${Array.from(value, literal).join(', ')}]`;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null || value === undefined) return 'None';
  if (typeof value !== 'object') return withEscapes(JSON.stringify(value));
  const members = Object.entries(value).map(([name, each]) => `${literal(name)}: ${literal(each)}`);
  return `{${members.join(', ')}}`;
}

/** The functions of the sample, and the lines that use them. */
const [ASK = '', ...SIGNED] = SOURCE.split('\n\n\n');

const WALLET_KEY = `with open("wallet.json") as file:  # a Solana CLI key file
    KEY = Ed25519PrivateKey.from_private_bytes(bytes(json.load(file)[:32]))`;

function noteOf({ accessMode, credit }: SampledCall): string | undefined {
  if (accessMode !== 'exact') return undefined;
  return credit === 'accepted'
    ? 'It pays from the credit of wallet.json. Buy credit with the CLI, in TypeScript or under Wallet.'
    : 'Python does not pay here: it prints what to pay.';
}

/** Returns a call in Python. It uses the standard library and, to sign, `cryptography`. */
export function pythonSample(call: SampledCall): Sample {
  const { surface, url, body, accessMode, credit } = call;
  const isSigned = accessMode === 'siwx' || credit === 'accepted';
  const ownsKey = credit === 'accepted' || surface === 'credit';
  const headers = {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(credit === 'accepted' && { Prefer: 'credit' }),
  };
  const modules = isSigned ? ['base64', 'json'] : body === undefined ? [] : ['json'];
  const head = [
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
  ];
  const source = [head.join('\n'), ASK, ...(isSigned ? SIGNED : ['print(ask(HEADERS))'])];
  return { title: 'Python', text: source.join('\n\n\n').trimEnd(), language: 'python', note: noteOf(call) };
}
