import { NETWORKS, USDC } from '@asset-gateway/protocol';
import { calledAs } from '../config.ts';
import { EXIT } from '../exit-code.ts';
import type { Wallet } from '../keys/files.ts';
import { newWallet, ownWallet } from '../keys/wallets.ts';
import { Misunderstood } from '../misunderstood.ts';
import { askFaucet, sandboxRpc } from '../money/faucet.ts';
import type { Session } from '../session.ts';
import type { Command } from './command.ts';

const placeOf = ({ file, source }: Wallet): string => file ?? (source === 'keychain' ? "the system's keychain" : '');

/** The address for whoever reads it, the rest for whoever looks. */
function tell({ terminal }: Session, wallet: Wallet): number {
  terminal.lines([wallet.signer.address]);
  terminal.note(`its key is in ${placeOf(wallet)}`);
  return EXIT.ok;
}

async function own(session: Session): Promise<Wallet> {
  const wallet = await ownWallet(session.values);
  if (!wallet) throw new Error(`there is no wallet yet; make one: ${calledAs().command} wallet new`);
  return wallet;
}

async function fund(session: Session): Promise<number> {
  const { terminal, gateway, rpc } = session;
  const wallet = await own(session);
  const { address } = wallet.signer;
  const networks = Object.values(NETWORKS);
  const given = await Promise.all(networks.map((network) => askFaucet(rpc ?? sandboxRpc(gateway, network), address)));
  terminal.lines([address]);
  if (given.some(Boolean)) terminal.note('the sandbox has given it play money');
  else
    terminal.note(
      `send USDC on Solana to it: the mint is ${USDC.mainnet}. It needs no SOL, as the gateway pays the fees`,
    );
  return EXIT.ok;
}

/** The wallet that signs and pays. */
export const walletCommand: Command = {
  name: 'wallet',
  takes: 'new|show|fund',
  summary: 'make a wallet, see its address, put money into it',
  examples: ['wallet new', 'wallet new --keychain', 'wallet show', 'wallet fund'],
  options: { keychain: { type: 'boolean', description: "keep the key in the system's keychain" } },
  completes: ['new', 'show', 'fund'],
  async run({ words, values, session }) {
    const [verb = '', ...more] = words;
    if (more.length > 0) throw new Misunderstood(`wallet ${verb} takes nothing more`);
    if (verb === 'new') return tell(session, await newWallet(values.is('keychain')));
    if (verb === 'show') return tell(session, await own(session));
    if (verb === 'fund') return fund(session);
    throw new Misunderstood('wallet takes new, show or fund');
  },
};
