import { parseArgs } from 'node:util';
import { createClient, creditIn, GatewayError, type Payer, transactionIn } from '@asset-gateway/client';
import { type Offer, payWith } from '@asset-gateway/client/pay';
import { dollars, NETWORKS } from '@asset-gateway/protocol';
import { gatewayUrl, walletFile } from './config.ts';
import { failureSentence, kindOf } from './failure.ts';
import { indent } from './indent.ts';
import { Misunderstood, readRequest } from './request.ts';
import { freshWallet, keptWallet, type Wallet, walletIn } from './wallet.ts';

const USAGE = `Usage: npm run ask -- <path> [<json body>] [--pay | --credit] [--keypair <file>] [--rpc <url>]
  <path>      assets/solana, or a whole path such as /v1/catalog
  <json body> makes it a POST: npm run ask -- assets/market-snapshots '{"mints":["…"]}'
  --keypair   a Solana CLI keypair file; without it a new wallet signs
  --pay       pay for the answer; without --keypair with USDC of the sandbox
  --credit    pay from credit, by signature; buy a bundle of it when there is too little. Without --keypair its wallet
              is kept in $XDG_STATE_HOME/asset-gateway/wallet.json (~/.local/state), for the sandbox alone
  --rpc       the Solana RPC to pay through; needed with --keypair
  ASSET_GATEWAY_URL is the gateway that is asked; unset, http://localhost:8402.
  Exit code: 0 a good answer, 1 a refusal or no answer, 2 the command was not understood.
`;

const OPTIONS = {
  credit: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  keypair: { type: 'string' },
  pay: { type: 'boolean' },
  rpc: { type: 'string' },
} as const;

/** The sandbox's chains listen on the ports after its gateway's. */
function sandboxRpc(network: string): string {
  const { hostname, port } = new URL(gatewayUrl());
  return `http://${hostname}:${Number(port || 80) + (network === NETWORKS.mainnet ? 1 : 2)}`;
}

async function askFaucet(rpcUrl: string, address: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params: [address] });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(rpcUrl, { method: 'POST', headers, body }).catch(() => undefined);
  if (!response?.ok) throw new Error('this is no sandbox: paying takes --keypair <file> and --rpc <url>');
}

function readWords(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
  } catch (error) {
    const [sentence = ''] = String((error as Error).message).split('. ', 1);
    throw new Misunderstood(`${sentence}\n${USAGE.trimEnd()}`);
  }
}

function assertUsable(url: string): void {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return;
  throw new Misunderstood('ASSET_GATEWAY_URL must be an origin such as http://localhost:8402');
}

async function show(response: Response): Promise<number> {
  const text = await response.text();
  const kind = kindOf(response, text);
  if (kind === undefined) {
    const { origin } = new URL(response.url);
    throw new Error(`${origin} answers ${response.status} and is no gateway; set ASSET_GATEWAY_URL to one`);
  }
  process.stdout.write(kind === 'json' ? `${indent(text)}\n` : text);
  return response.ok ? 0 : 1;
}

type Words = ReturnType<typeof readWords>['values'];

function walletFor({ keypair, credit }: Words): Wallet {
  if (keypair !== undefined) return walletIn(keypair);
  return credit ? keptWallet(walletFile()) : freshWallet();
}

/** No cap but the price that the command was told to pay, which is shown. */
const CAPS = {
  perCallUsd: Number.POSITIVE_INFINITY,
  perBundleUsd: Number.POSITIVE_INFINITY,
  perDayUsd: Number.POSITIVE_INFINITY,
};

/** Tells what is paid and approves it. */
function payingWith(values: Words, { keypair, signer }: Wallet): Payer {
  const rpcUrl = (network: string): string => values.rpc ?? sandboxRpc(network);
  const approve = async ({ network, amount, payTo }: Offer): Promise<void> => {
    process.stderr.write(`paying $${dollars(Number(amount))} on ${network} to ${payTo}\n`);
    if (values.keypair !== undefined && values.rpc === undefined) throw new Error('--keypair pays through --rpc <url>');
    if (values.keypair === undefined) await askFaucet(rpcUrl(network), signer.address);
  };
  return payWith({ wallet: keypair, rpcUrl, approve, caps: CAPS });
}

/** What is told of an answer beside the answer. */
function tell(response: Response, { signer }: Wallet): void {
  const [transaction, credit] = [transactionIn(response), creditIn(response)];
  process.stderr.write(`${response.status} ${response.url}\nsigned by ${signer.address}\n`);
  if (transaction) process.stderr.write(`transaction ${transaction}\n`);
  if (!credit) return;
  const charged = credit.chargedMicros === undefined ? '' : `charged $${dollars(credit.chargedMicros)}, `;
  process.stderr.write(`credit: ${charged}$${dollars(credit.balanceMicros)} left\n`);
}

async function ask(args: readonly string[]): Promise<number> {
  const { positionals, values } = readWords(args);
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (positionals.length === 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  if (values.pay && values.credit) throw new Misunderstood('--credit pays as well; leave --pay out');
  const { path, ...asked } = readRequest(positionals);
  assertUsable(gatewayUrl());
  const wallet = walletFor(values);
  const credit = values.credit === true;
  const pay = payingWith(values, wallet);
  const client = createClient({
    baseUrl: gatewayUrl(),
    signer: wallet.signer,
    credit,
    ...((values.pay || credit) && { pay }),
  });
  const response = await client.ask(path, asked);
  tell(response, wallet);
  return show(response);
}

/** What fetch said, where nothing answered. */
const causeOf = (error: unknown): unknown =>
  error instanceof GatewayError && ['unreachable', 'payment_not_made'].includes(error.code) ? error.cause : error;

/** Runs the command with these words; answers with its exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    return await ask(args);
  } catch (error) {
    process.stderr.write(`ask: ${failureSentence(causeOf(error), gatewayUrl())}\n`);
    return error instanceof Misunderstood ? 2 : 1;
  }
}
