import type { SolanaSandbox } from './solana-sandbox.ts';
import type { TokensApi } from './tokens/api.ts';

/** The simulated upstreams; undefined if the real one is used. */
export interface World {
  readonly tokens: TokensApi | undefined;
  readonly solana: SolanaSandbox | undefined;
}

/** The default URL of the command line. */
const DEFAULT_URL = 'http://localhost:8402';

const portOf = (url: string): number => Number(new URL(url).port || 80);

/** The ports besides the gateway's own. */
function ports({ tokens, solana }: World): string[] {
  const chains = solana ? [`${portOf(solana.mainnet.url)} mainnet`, `${portOf(solana.devnet.url)} devnet`] : [];
  const apis = [tokens && `${portOf(tokens.url)} Tokens API`, solana && `${portOf(solana.provider.url)} providers`];
  return [...chains, ...apis.flatMap((api) => api ?? [])];
}

/** Commands to try next, with the URL if it is not the default. */
function commands(url: string, { solana }: World): string[] {
  const ask = `${url === DEFAULT_URL ? '' : `ASSET_GATEWAY_URL=${url} `}npm run ask --`;
  if (!solana) return [`${ask} assets/solana`];
  const rpc = portOf(solana.mainnet.url) === portOf(url) + 1 ? '' : ` --rpc ${solana.mainnet.url}`;
  const body = JSON.stringify({ params: [solana.payTo] });
  const paidCall = `${rpc} solana/mainnet/helius/rpc/getBalance '${body}'`;
  return [`${ask} assets/solana`, `${ask} --pay${paidCall}`, `${ask} --credit${paidCall}`];
}

/** Printed after the start: what is simulated, the ports, and commands to try next. */
export function banner(gatewayUrl: string, world: World): string {
  const { tokens, solana } = world;
  const url = gatewayUrl.replace('127.0.0.1', 'localhost');
  const otherPorts = ports(world);
  const rows = [
    ['sign-in, payments, budget', 'real'],
    ['Tokens API', tokens ? 'SANDBOX: simulated market, offline; set TOKENS_API_KEY for the real one' : 'real'],
    [
      'Solana, RPC, DAS, wallets',
      solana ? 'SANDBOX: real SVM with play money, offline; see docs/configuration.md' : 'real',
    ],
    ...(otherPorts.length > 0 ? [['other ports', otherPorts.join(', ')]] : []),
  ];
  const lines = [
    '',
    `Asset gateway listening on ${url}`,
    '',
    ...rows.map(([name = '', text = '']) => name.padEnd(28) + text),
    '',
    `Open ${url} in a browser, or run in another terminal:`,
    '',
    ...commands(url, world).map((command) => `  ${command}`),
    '',
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`;
}
