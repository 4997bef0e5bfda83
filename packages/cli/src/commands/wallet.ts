import type { CreditBalanceResult } from '@asset-gateway/client';
import { dollarText, NETWORKS, USDC } from '@asset-gateway/protocol';
import { show } from '../answer.ts';
import { calledAs } from '../config.ts';
import { EXIT, UsageError } from '../failure.ts';
import { newWallet, ownWallet, type Wallet } from '../keys/wallets.ts';
import { askFaucet, sandboxRpc } from '../money/command-payer.ts';
import { CLUSTER, clusterIn, dollarsIn } from '../options.ts';
import { CREDIT_PATH } from '../request.ts';
import type { Session } from '../session.ts';
import type { Canvas } from '../show/chart.ts';
import { table } from '../show/table.ts';
import type { Command } from './command.ts';

const statement = ({ wallet, balances }: CreditBalanceResult, { columns, colours }: Canvas): string[] => [
  colours.dim(`credit of ${wallet}`),
  ...table(balances, columns, [
    { title: 'CLUSTER', cell: ({ cluster }) => cluster },
    { title: 'LEFT', cell: ({ balanceMicros }) => dollarText(balanceMicros), align: 'right', paint: colours.bold },
    { title: 'HELD', cell: ({ heldMicros }) => dollarText(heldMicros), align: 'right' },
    { title: 'SPENT', cell: ({ spentMicros }) => dollarText(spentMicros), align: 'right' },
  ]),
];

/** Buys this amount, which also limits the bundle. The 24-hour limit still applies. */
async function buy(session: Session, price = ''): Promise<number> {
  const { terminal, values } = session;
  const cluster = clusterIn(values);
  const amount = dollarsIn(price, 'credit buy');
  if (!session.isPreapproved && !terminal.canAsk) throw new UsageError('credit buy costs money: add --pay');
  const wallet = await session.storedWallet;
  const client = (await session.client({ perBundleUsd: amount })).with({ cluster });
  const { text, response } = await terminal.whileWaiting('buying …', () => client.credit.buy({ usd: amount }).full());
  session.report(response, wallet);
  if (!terminal.isFormatted) terminal.write(text);
  return EXIT.ok;
}

/** The credit of a wallet. */
export const creditCommand: Command = {
  name: 'credit',
  takes: '[buy <usd>]',
  summary: 'show or buy credit',
  examples: ['credit', 'credit buy 0.05 --pay'],
  options: CLUSTER,
  completes: ['buy'],
  async run({ words, session }) {
    const [verb, amount, ...more] = words;
    if (verb === undefined) return show(session, await session.ask({ path: CREDIT_PATH }), statement);
    if (verb !== 'buy' || more.length > 0)
      throw new UsageError('credit takes no words, or buy and an amount in dollars');
    return buy(session, amount);
  },
};

const keyLocation = ({ file, source }: Wallet): string =>
  file ?? (source === 'keychain' ? "the system's keychain" : '');

/** Prints the address to stdout and a note to stderr, or JSON with --json. */
function printAddress({ terminal, values }: Session, { signer }: Wallet, note: string, members: object): number {
  const { address } = signer;
  if (values.is('json')) terminal.lines([JSON.stringify({ address, ...members })]);
  else {
    terminal.lines([address]);
    terminal.note(note);
  }
  return EXIT.ok;
}

const printWallet = (session: Session, wallet: Wallet): number =>
  printAddress(session, wallet, `its key is in ${keyLocation(wallet)}`, { keyIn: keyLocation(wallet) });

async function own(session: Session): Promise<Wallet> {
  const wallet = await ownWallet(session.values);
  if (!wallet) throw new Error(`you have no wallet yet; make one: ${calledAs().command} wallet new`);
  return wallet;
}

async function fund(session: Session): Promise<number> {
  const { gateway, rpc } = session;
  const wallet = await own(session);
  const { address } = wallet.signer;
  const networks = Object.values(NETWORKS);
  const given = await Promise.all(networks.map((network) => askFaucet(rpc ?? sandboxRpc(gateway, network), address)));
  const isFunded = given.some(Boolean);
  const note = isFunded
    ? 'the sandbox has sent it play money'
    : `send it USDC on Solana (mint ${USDC.mainnet}). It needs no SOL: the gateway pays the fees`;
  return printAddress(session, wallet, note, { isFunded, mint: USDC.mainnet });
}

/** The wallet that signs and pays. */
export const walletCommand: Command = {
  name: 'wallet',
  takes: 'new|show|fund',
  summary: 'make a wallet, show its address, fund it',
  examples: ['wallet new', 'wallet new --keychain', 'wallet show --json', 'wallet fund'],
  options: {
    keychain: { description: "keep the key in the system's keychain" },
    json: { description: 'print JSON' },
  },
  completes: ['new', 'show', 'fund'],
  async run({ words, values, session }) {
    const verb = words.join(' ');
    if (verb === 'new') return printWallet(session, await newWallet(values.is('keychain')));
    if (verb === 'show') return printWallet(session, await own(session));
    if (verb === 'fund') return fund(session);
    throw new UsageError('wallet takes one of new, show and fund');
  },
};
