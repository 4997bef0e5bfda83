import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PAYMENT_LIMITS, pkcs8OfSeed, type Refusal } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import type { Background, Repeated } from '../../background.ts';
import { closeAll } from '../../closing.ts';
import { resultWithin } from '../../result-within.ts';
import { TIMES } from '../../times.ts';
import { unavailable } from '../refusals.ts';
import type { Chain, Chains } from './chain.ts';
import {
  FAILED_ON_CHAIN,
  type Facilitator,
  type Payment,
  type Processed,
  type Settlement,
  SIMULATION_FAILED,
  type Verification,
} from './facilitator.ts';

/** Dependencies of the in-process facilitator. */
export interface InProcessOptions {
  /** The 64 bytes of the fee payer's key pair. */
  readonly keypair: Uint8Array;
  /** The chains by network, for settlements and look-ups. */
  readonly chains: Chains;
  /** The chains by network, for verifications. They have connections of their own, because anyone can cause verifications. */
  readonly verifyingChains: Chains;
  /** The most lamports that fees may cost in an hour. */
  readonly feeBudgetPerHour: number;
  readonly notice: (message: string) => void;
  readonly background: Background;
}

const SEED_BYTES = 32;
/** The index of the fee payer's signature, the first one. The byte before it counts the signatures. */
const SIGNATURE_OFFSET = 1;

const UNKNOWN_BLOCKHASH = '"BlockhashNotFound"';

/** Simulation errors that concern the fee payer's account. */
const FEE_PAYER_ERRORS = new Set([
  '"AccountNotFound"',
  '"InsufficientFundsForFee"',
  '"InvalidAccountForFee"',
  '{"InsufficientFundsForRent":{"account_index":0}}',
]);

/** Returns what a simulation's error tells about whether the transaction has landed. A landed transaction's blockhash expires too. */
function processedOf(error: string): Processed {
  if (error === '"AlreadyProcessed"') return 'yes';
  return error === UNKNOWN_BLOCKHASH ? 'maybe' : 'no';
}

/** Returns the address of a key pair of 64 bytes: its second half, which the configuration has checked against the first. */
export const addressOf = (keypair: Uint8Array): string => bs58.encode(keypair.subarray(SEED_BYTES));

function privateKeyOf(keypair: Uint8Array): KeyObject {
  const key = Buffer.from(pkcs8OfSeed(keypair.subarray(0, SEED_BYTES)));
  return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
}

/** The least balance of an account without data, by the rule of the chain's rent. */
const RENT_LAMPORTS = 890_880;
/** The balance with which a fee payer can pay again. */
const ENOUGH_LAMPORTS = RENT_LAMPORTS + PAYMENT_LIMITS.maxFeeLamports;

/** Remembers on which networks the fee payer has run out of SOL, and reads its balance there until it has enough again. */
function watchFeePayer(address: string, { chains, notice, background }: InProcessOptions) {
  const empty = new Map<string, Repeated>();
  const poll = async (network: string): Promise<void> => {
    const account = await chains.get(network)?.account(address);
    if ((account?.lamports ?? 0) < ENOUGH_LAMPORTS) return;
    void empty.get(network)?.close();
    empty.delete(network);
    notice(`the fee payer holds SOL on ${network} again: paid routes there are open`);
  };
  return {
    isEmpty: (network: string): boolean => empty.has(network),
    /** Notes that the chain has rejected a transaction because the fee payer cannot pay. */
    ranOut(network: string): void {
      if (empty.has(network)) return;
      notice(`the fee payer ${address} cannot pay fees on ${network}: paid routes there are closed until it holds SOL`);
      empty.set(
        network,
        background.every('fee_payers', TIMES.emptyFeePayerEachMs, () => poll(network)),
      );
    },
    close: () => closeAll([...empty.values()]),
  };
}

/** A transaction with the fee payer's signature, in base64, and that signature in base58. */
interface SignedPayment {
  readonly transaction: string;
  readonly signature: string;
}

/** Settles payments with the gateway's own key. It simulates, signs, sends and confirms over the RPC of each network. */
export class InProcessFacilitator implements Facilitator {
  readonly feeBudgetPerHour: number;
  readonly #options: InProcessOptions;
  readonly #address: string;
  readonly #key: KeyObject;
  readonly #watch: ReturnType<typeof watchFeePayer>;
  /** The signed transactions, by the message of their payment, so that each is signed once. */
  readonly #signed = new WeakMap<Uint8Array, SignedPayment>();

  constructor(options: InProcessOptions) {
    this.feeBudgetPerHour = options.feeBudgetPerHour;
    this.#options = options;
    this.#key = privateKeyOf(options.keypair);
    this.#address = addressOf(options.keypair);
    this.#watch = watchFeePayer(this.#address, options);
  }

  readonly signatureOf = (payment: Payment): string => this.#sign(payment).signature;

  feePayer(network: string): string | undefined {
    return this.#options.chains.has(network) ? this.#address : undefined;
  }

  whyClosed(network: string): string | undefined {
    return this.#watch.isEmpty(network) ? 'the fee payer has no SOL' : undefined;
  }

  /** Simulates a payment. Simulates again if the node does not know the blockhash yet. */
  async verify(payment: Payment): Promise<Verification> {
    const chain = this.#options.verifyingChains.get(payment.network);
    if (!chain) throw unavailable(`no RPC for ${payment.network}`);
    const { transaction } = this.#sign(payment);
    const simulating = chain.simulate(transaction).then(async (error) => {
      if (error !== UNKNOWN_BLOCKHASH) return { error };
      await sleep(TIMES.youngBlockhashMs);
      return { error: await chain.simulate(transaction) };
    });
    const simulated = await resultWithin(TIMES.chainMs, simulating);
    if (!simulated) throw unavailable('verify: too slow');
    const { error } = simulated;
    if (error === undefined) return { valid: true };
    if (FEE_PAYER_ERRORS.has(error)) throw this.#closed(payment);
    return { valid: false, reason: SIMULATION_FAILED, processed: processedOf(error) };
  }

  /** Sends a payment once. The node simulates again before, because the money may have moved since `verify`. */
  async settle(payment: Payment): Promise<Settlement> {
    const { chains, background } = this.#options;
    const chain = chains.get(payment.network);
    if (!chain) return { outcome: 'unsent', reason: `no RPC for ${payment.network}` };
    const { signature, transaction } = this.#sign(payment);
    const sent = await background.run('facilitator', () => chain.send(transaction));
    if (sent === undefined) return { outcome: 'unknown', signature };
    if (sent === 'sent') return this.#confirm(chain, signature);
    if ('unsent' in sent) return { outcome: 'unsent', reason: sent.unsent };
    const { error } = sent;
    if (FEE_PAYER_ERRORS.has(error)) return { outcome: 'unsent', reason: this.#closed(payment).message };
    if (processedOf(error) === 'no') return { outcome: 'refused', reason: SIMULATION_FAILED };
    // This call has sent nothing, but an earlier one may have. Only the expiry of the blockhash proves that no transaction has landed.
    const found = await chain.status(signature).catch(() => undefined);
    return found?.status === 'confirmed' ? { outcome: 'settled', signature } : { outcome: 'unknown', signature };
  }

  async resend(payment: Payment): Promise<void> {
    await this.#options.chains.get(payment.network)?.resend(this.#sign(payment).transaction);
  }

  close(): Promise<void> {
    return this.#watch.close();
  }

  async #confirm(chain: Chain, signature: string): Promise<Settlement> {
    const deadline = performance.now() + TIMES.confirmMs;
    while (performance.now() < deadline) {
      const found = await chain.status(signature).catch(() => undefined);
      if (found?.status === 'confirmed') return { outcome: 'settled', signature };
      if (found?.status === 'failed') return FAILED_ON_CHAIN;
      await sleep(TIMES.confirmEachMs);
    }
    return { outcome: 'unknown', signature };
  }

  /** Closes the network's paid routes until the fee payer can pay, and returns the refusal. */
  #closed({ network }: Payment): Refusal {
    this.#watch.ranOut(network);
    return unavailable('the fee payer has no SOL');
  }

  #sign({ message, transaction }: Payment): SignedPayment {
    const known = this.#signed.get(message);
    if (known) return known;
    const signature = sign(null, message, this.#key);
    const bytes = Buffer.from(transaction, 'base64');
    bytes.set(signature, SIGNATURE_OFFSET);
    const signed = { signature: bs58.encode(signature), transaction: bytes.toString('base64') };
    this.#signed.set(message, signed);
    return signed;
  }
}
