import { literal, withEscapes } from '@asset-gateway/protocol';
import type { Language } from './highlight.tsx';

/** A call of a route, to show it in other clients. */
export interface SampledCall {
  /** The family of methods and the client's method, such as `tokens` and `search`. */
  readonly surface: string;
  readonly method: string;
  /** The arguments of the method. */
  readonly values: readonly unknown[];
  /** The arguments by name, as tools take them. */
  readonly named: object;
  readonly url: string;
  /** The body of a POST. */
  readonly body?: unknown;
  readonly accessMode: string;
  readonly priceUsd: string;
  readonly cluster?: string;
  readonly provider?: string;
  /** Whether the route belongs to an operator's API, for which the client has no own method. */
  readonly isApi?: boolean;
  /** Whether credit can pay for the call, or the call buys credit. */
  readonly credit?: string;
}

/** A call in another client. */
export interface Sample {
  readonly title: string;
  readonly text: string;
  readonly language: Language;
  readonly note?: string | false | undefined;
}

const json = (value: unknown, indent?: number): string => withEscapes(JSON.stringify(value, null, indent) ?? 'null');

/** Returns a text with quotes for a shell. */
const word = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const PRINTS: Readonly<Record<string, string>> = {
  siwx: 'curl does not sign: it prints the challenge.',
  exact: 'curl does not pay: it prints what to pay.',
};

function curl({ url, body, accessMode }: SampledCall): Sample {
  const data = body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${word(json(body))}`];
  const text = [`curl -i ${word(url)}`, ...data].join(' \\\n  ');
  return { title: 'curl', text, language: 'shell', note: PRINTS[accessMode] };
}

/** The public RPC of each cluster. */
const RPC: Readonly<Record<string, string>> = {
  mainnet: 'https://api.mainnet-beta.solana.com',
  devnet: 'https://api.devnet.solana.com',
};

function typeScript(call: SampledCall): Sample {
  const { surface, method, values, url, accessMode, priceUsd, cluster, provider, credit } = call;
  const { origin } = new URL(url);
  const isPaid = accessMode === 'exact';
  const needsKey = isPaid || surface === 'credit';
  const chosen = {
    ...(cluster === 'devnet' && { cluster }),
    ...(isPaid && !call.isApi && provider !== 'helius' && credit !== 'sold' && { provider }),
  };
  const target = Object.keys(chosen).length > 0 ? `client.with(${literal(chosen)})` : 'client';
  const given = values.map(literal);
  const called = call.isApi
    ? `call(${[`'${surface}.${method}'`, ...given].join(', ')})`
    : `${surface}.${method}(${given.join(', ')})`;
  const cap = credit === 'sold' ? 'perBundleUsd' : 'perCallUsd';
  const options = [`baseUrl: ${word(origin)}`, ...(needsKey ? ['signer'] : []), ...(isPaid ? ['pay'] : [])];
  const lines = [
    needsKey && "import { readFile } from 'node:fs/promises';",
    `import { createClient${needsKey ? ', signerFromBytes' : ''} } from '@asset-gateway/client';`,
    isPaid && "import { payWith } from '@asset-gateway/client/pay';",
    '',
    needsKey && "const wallet = Uint8Array.from(JSON.parse(await readFile('wallet.json', 'utf8')));",
    needsKey && 'const signer = signerFromBytes(wallet);',
    isPaid && `const rpcUrl = '${RPC[cluster ?? 'mainnet']}';`,
    isPaid && `const pay = payWith({ wallet, rpcUrl, caps: { ${cap}: ${priceUsd} } });`,
    `const client = createClient({ ${options.join(', ')} });`,
    `console.log(await ${target}.${called});`,
  ];
  const money = 'wallet.json is a Solana CLI key file with USDC. In the sandbox, use its RPC (port 8403, devnet 8404).';
  const place =
    'Save it in a clone of the gateway and run it there. Once published: npm install @asset-gateway/client.';
  const text = lines.filter((line) => line !== false).join('\n');
  return { title: 'TypeScript', text, language: 'typescript', note: isPaid ? `${money} ${place}` : place };
}

/** The command line without a clone. */
const PUBLISHED = 'npx -y @asset-gateway/cli';

function commandLine(call: SampledCall): Sample {
  const { url, body, accessMode, priceUsd, cluster, credit, isApi, surface, method, values } = call;
  const { origin } = new URL(url);
  const requested = isApi
    ? [surface, method, ...values.map((each) => word(json(each)))]
    : [word(url.slice(origin.length)), ...(body === undefined ? [] : [word(json(body))])];
  const words =
    credit === 'sold'
      ? ['credit buy', priceUsd, '--pay', ...(cluster === 'devnet' ? ['--cluster devnet'] : [])]
      : [...requested, ...(accessMode === 'exact' ? ['--pay --max-call', priceUsd] : [])];
  const text = `ASSET_GATEWAY_URL=${origin} npm run ask -- ${words.join(' ')}`;
  const note = `Run it in a clone of the gateway. Once published: ${PUBLISHED} in place of npm run ask --.`;
  return { title: 'CLI', text, language: 'shell', note };
}

/** Families that the MCP server offers as one tool. */
const AS_ONE_TOOL = ['rpc', 'das'];

function tool({ surface, method, named, accessMode, priceUsd, cluster }: SampledCall): Sample {
  const call = AS_ONE_TOOL.includes(surface)
    ? { name: surface, arguments: { method, arguments: named } }
    : { name: `${surface}_${method}`, arguments: named };
  const options = [
    ...(accessMode === 'exact' ? [`--budget-usd ${priceUsd}`] : []),
    ...(cluster === 'devnet' ? ['--cluster devnet'] : []),
  ];
  const more = AS_ONE_TOOL.includes(surface) ? '' : ' If it does not list this tool, add --tools=all.';
  const words = ['mcp', ...options].join(' ');
  const note =
    `A host starts the server with node /path/to/asset-gateway/packages/cli/bin/main.js ${words}, the path being that of a clone. ` +
    `Once published: ${PUBLISHED} ${words}.${more}`;
  return { title: 'MCP', text: json(call, 2), language: 'json', note };
}

/** Families without tools. */
const WITHOUT_TOOLS = ['system', 'credit'];

/** Returns a call in the clients that most people use. Python is in a file of its own. */
export const samplesOf = (call: SampledCall): readonly Sample[] => [
  curl(call),
  typeScript(call),
  commandLine(call),
  ...(WITHOUT_TOOLS.includes(call.surface) ? [] : [tool(call)]),
];
