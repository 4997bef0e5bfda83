import { dollars, dollarText } from '@asset-gateway/protocol';
import { type Config, type Environment, processEnvironment } from './config/config.ts';
import { formatFor, standardOutput } from './log.ts';
import type { RunningGateway } from './start.ts';

/** The simulated parts of a gateway. */
export interface Simulated {
  /** Whether the Tokens API is simulated. */
  readonly hasTokens: boolean;
  /** The URLs of the simulated chains, if any. */
  readonly chains?: { readonly mainnet: string; readonly devnet: string };
}

/** A start, and what its screen shows. */
interface Started {
  readonly gateway: Pick<RunningGateway, 'url' | 'address' | 'metricsUrl'>;
  readonly config: Config;
  readonly simulated: Simulated;
  readonly environment: Environment;
}

type ScreenRow = readonly [label: string, text: string];

/** The default URL of the command line. */
const DEFAULT_URL = 'http://localhost:8402';
/** The name of this repository's package. */
const CLONE = 'asset-gateway-workspace';
const LABEL_WIDTH = 28;
const COMMANDS = 3;

const REAL: Simulated = { hasTokens: false };

const portOf = (url: string): number => Number(new URL(url).port || 80);
const withName = (url: string): string => url.replace('//127.0.0.1', '//localhost');
const isOn = (setting: unknown): 'on' | 'off' => (setting === undefined ? 'off' : 'on');

function realSolana(paid: Config['paid']): string {
  const hasUpstream = paid && (paid.wallet ?? Object.values(paid.rpcUrls).flatMap(Object.values)[0]) !== undefined;
  if (!hasUpstream) return 'off; an RPC URL or HELIUS_API_KEY turns them on';
  return paid.sold.length > 0 ? `real, ${paid.sold.join(' and ')}` : 'off; SOLANA_MAINNET_RPC_URL turns them on';
}

function upstreamRows({ config: { tokens, paid, apis }, simulated }: Started): ScreenRow[] {
  const { chains } = simulated;
  const ofTokens = tokens ? 'real' : 'off; TOKENS_API_KEY turns it on';
  return [
    [paid ? 'sign-in, payments, budget' : 'sign-in, budget', 'real'],
    ['Tokens API', simulated.hasTokens ? 'SANDBOX: simulated; TOKENS_API_KEY makes it real' : ofTokens],
    ['Solana, RPC, DAS, wallets', chains ? 'SANDBOX: real SVM with play money, offline' : realSolana(paid)],
    ...(chains
      ? [['chains', `ports ${portOf(chains.mainnet)} mainnet, ${portOf(chains.devnet)} devnet`] as const]
      : []),
    ...(apis.length > 0 ? [['own APIs', `${apis.length} of APIS_FILE`] as const] : []),
  ];
}

/** Returns the address of the metrics. At `/` is the operator's page, if it is installed. */
const metricsAt = (url: string, hasPages: boolean): string =>
  hasPages ? `${new URL(withName(url)).origin} (charts) and /metrics` : withName(url);

function settingRows({ gateway, config: { cache, console, credit, receipts } }: Started): ScreenRow[] {
  const bundles = credit?.bundlesMicros.map(dollarText).join(', ');
  const { metricsUrl } = gateway;
  return [
    ['cache', cache ? 'on' : 'off; RESPONSE_CACHE=on shares upstream answers'],
    ['credit', bundles === undefined ? 'off; CREDIT=on lets wallets prepay' : `on, sold for ${bundles}`],
    ['receipts', receipts ? 'on' : 'off; RECEIPTS=on signs one for each paid answer'],
    ['metrics', metricsUrl === undefined ? 'off; METRICS_PORT=8409 shows charts' : metricsAt(metricsUrl, console)],
  ];
}

/** Returns commands to try next, as npm scripts in a clone or as those of an installed program. */
function commands({ gateway, config: { tokens, credit }, simulated: { chains }, environment }: Started): string[] {
  const isClone = environment.npm_package_name === CLONE;
  const [ask, doctor] = isClone
    ? ['npm run ask --', 'npm run doctor --']
    : ['npx asset-gateway-client', 'npx asset-gateway doctor'];
  const url = withName(gateway.url);
  const isElsewhere = chains && portOf(chains.mainnet) !== portOf(url) + 1;
  const [cheapest = 0] = credit?.bundlesMicros ?? [];
  const all = [
    ...(tokens ? [`${ask} price solana`] : []),
    ...(chains && credit ? [`${ask} credit buy ${dollars(cheapest)} --pay`] : []),
    `${ask} routes`,
    `${doctor} ${url}`,
    `${ask} --help`,
  ];
  return [
    ...(url === DEFAULT_URL ? [] : [`export ASSET_GATEWAY_URL=${url}`]),
    ...(isElsewhere ? [`export ASSET_GATEWAY_RPC_URL=${chains.mainnet}`] : []),
    ...all.slice(0, COMMANDS),
  ];
}

/** Returns the start's screen for people: address, real and simulated parts, settings, and commands to try. */
export function startScreen(started: Started): string {
  const { gateway, config } = started;
  const url = withName(gateway.url);
  const isPublic = config.baseUrl !== undefined;
  const rows: ScreenRow[] = [
    ...(isPublic ? [['address for clients', url] as const] : []),
    ...upstreamRows(started),
    ...settingRows(started),
  ];
  const lines = [
    '',
    `Asset gateway listening on ${isPublic ? `http://${gateway.address}` : url}`,
    '',
    ...rows.map(([label, text]) => label.padEnd(LABEL_WIDTH) + text),
    '',
    config.console ? `Open ${url} in a browser, or run in another terminal:` : 'Run in another terminal:',
    '',
    ...commands(started).map((command) => `  ${command}`),
    '',
  ];
  return `${lines.map((line) => (line === '' ? '' : `  ${line}`)).join('\n')}\n`;
}

/** Announces that the gateway serves, on a screen for people or in one log line for programs. */
export function announce(gateway: RunningGateway, config: Config, simulated: Simulated = REAL): void {
  const output = standardOutput();
  const { address, metricsUrl } = gateway;
  if (formatFor(config.logFormat, output) === 'pretty') {
    output.write(startScreen({ gateway, config, simulated, environment: processEnvironment() }));
    return;
  }
  gateway.log.started(`listening on ${gateway.url}`, {
    address,
    sandbox: [...(simulated.hasTokens ? ['tokens'] : []), ...(simulated.chains ? ['solana'] : [])],
    cache: isOn(config.cache),
    credit: isOn(config.credit),
    receipts: isOn(config.receipts),
    metrics: metricsUrl ?? 'off',
  });
}
