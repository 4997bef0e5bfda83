import { NETWORKS, USDC } from '@asset-gateway/protocol';
import { calledAs } from '../config.ts';
import { EXIT, UsageError } from '../exit-code.ts';
import type { Wallet } from '../keys/files.ts';
import { newWallet, ownWallet } from '../keys/wallets.ts';
import { askFaucet, sandboxRpc } from '../money/faucet.ts';
import type { Session } from '../session.ts';
import type { Command } from './command.ts';

const placeOf = ({ file, source }: Wallet): string => file ?? (source === 'keychain' ? "the system's keychain" : '');

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
  printAddress(session, wallet, `its key is in ${placeOf(wallet)}`, { keyIn: placeOf(wallet) });

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
    keychain: { type: 'boolean', description: "keep the key in the system's keychain" },
    json: { type: 'boolean', description: 'print JSON' },
  },
  completes: ['new', 'show', 'fund'],
  async run({ words, values, session }) {
    const [verb = '', ...more] = words;
    if (more.length > 0) throw new UsageError('wallet takes one of new, show and fund');
    if (verb === 'new') return printWallet(session, await newWallet(values.is('keychain')));
    if (verb === 'show') return printWallet(session, await own(session));
    if (verb === 'fund') return fund(session);
    throw new UsageError('wallet takes one of new, show and fund');
  },
};
