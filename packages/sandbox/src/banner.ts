import type { SolanaSandbox } from './solana-sandbox.ts';
import type { TokensApi } from './tokens/api.ts';

/** What of the world is invented. */
export interface World {
  readonly tokens: TokensApi | undefined;
  readonly solana: SolanaSandbox | undefined;
}

/** Where the command line looks for a gateway, unless told. */
const USUAL_URL = 'http://localhost:8402';

const portOf = (url: string): number => Number(new URL(url).port || 80);

/** What is listened on, besides the gateway's own port. */
function ports({ tokens, solana }: World): string[] {
  const chains = solana ? [`${portOf(solana.mainnet.url)} mainnet`, `${portOf(solana.devnet.url)} devnet`] : [];
  const apis = [tokens && `${portOf(tokens.url)} Tokens API`, solana && `${portOf(solana.provider.url)} providers`];
  return [...chains, ...apis.flatMap((api) => api ?? [])];
}

/** What to type next, for a gateway that may be where nobody looks. */
function commands(url: string, { solana }: World): string[] {
  const ask = `${url === USUAL_URL ? '' : `ASSET_GATEWAY_URL=${url} `}npm run ask --`;
  if (!solana) return [`${ask} assets/solana`];
  const rpc = portOf(solana.mainnet.url) === portOf(url) + 1 ? '' : ` --rpc ${solana.mainnet.url}`;
  const body = JSON.stringify({ params: [solana.payTo] });
  const sold = `${rpc} solana/mainnet/helius/rpc/getBalance '${body}'`;
  return [`${ask} assets/solana`, `${ask} --pay${sold}`, `${ask} --credit${sold}`];
}

/** What a start of the sandbox ends with: what is real, where everything listens, and what to type next. */
export function banner(gatewayUrl: string, world: World): string {
  const { tokens, solana } = world;
  const url = gatewayUrl.replace('127.0.0.1', 'localhost');
  const taken = ports(world);
  const rows = [
    ['sign-in, payments, budget', 'real'],
    ['Tokens API', tokens ? 'SANDBOX: an invented market, offline; set TOKENS_API_KEY for the real one' : 'real'],
    [
      'Solana, RPC, DAS, wallets',
      solana ? 'SANDBOX: a real SVM with play money, offline; see docs/configuration.md' : 'real',
    ],
    ...(taken.length > 0 ? [['other ports', taken.join(', ')]] : []),
  ];
  const lines = [
    '',
    `Asset gateway listening on ${url}`,
    '',
    ...rows.map(([name = '', text = '']) => name.padEnd(28) + text),
    '',
    `Open ${url} in a browser, or try next, in another terminal:`,
    '',
    ...commands(url, world).map((command) => `  ${command}`),
    '',
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`;
}
