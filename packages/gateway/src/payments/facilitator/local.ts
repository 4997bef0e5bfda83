import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { pkcs8OfSeed, type Refusal } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import type { Background } from '../../background.ts';
import { LIMITS } from '../read/transaction.ts';
import { FAILED_ON_CHAIN } from '../record.ts';
import { unavailable } from '../responses.ts';
import { type Chain, type SimulationRun, simulate } from './chain.ts';
import { type Facilitator, type Payment, requestBody, type Settlement, type Verification } from './facilitator.ts';
import { watchFeePayer } from './fee-payer.ts';

/** What the in-process facilitator needs. */
interface InProcessOptions {
  /** The 64 bytes of the fee payer's key pair. */
  readonly keypair: Uint8Array;
  /** By network, for settling and looking up. */
  readonly chains: Chains;
  /** By network, for verifying; on separate connections, because anyone can cause verifications. */
  readonly verifyingChains: Chains;
  /** The most lamports that fees may cost in an hour. */
  readonly feeBudgetPerHour: number;
  readonly notice: (message: string) => void;
  readonly background: Background;
}

const VERIFY_MS = 5_000;
const CONFIRM_MS = 20_000;
/** The fee payer's signature is the first, after the byte that counts signatures. */
const SIGNATURE_OFFSET = 1;
const POLL_MS = 250;

type Chains = ReadonlyMap<string, Chain>;

/** Loads what only this facilitator needs of x402's packages. Whole modules here would all end up in the bundle. */
async function loadPackages(keypair: Uint8Array) {
  const [kit, svm, { ExactSvmScheme }] = await Promise.all([
    import('@solana/kit'),
    import('@x402/svm'),
    import('@x402/svm/exact/facilitator'),
  ]);
  return {
    keys: await kit.createKeyPairSignerFromBytes(keypair),
    cache: new svm.SettlementCache(),
    toRpc: kit.createSolanaRpcFromTransport,
    toSigner: svm.toFacilitatorSvmSigner,
    ExactSvmScheme,
  };
}

type Packages = Awaited<ReturnType<typeof loadPackages>>;
type Scheme = InstanceType<Packages['ExactSvmScheme']>;

/** x402's own facilitator in this process, with limits and deadlines, and with strict readings of its answers. */
export class InProcessFacilitator implements Facilitator {
  readonly feeBudgetPerHour: number;
  readonly #options: InProcessOptions;
  readonly #packages: Packages;
  readonly #key: KeyObject;
  readonly #watch: ReturnType<typeof watchFeePayer>;

  private constructor(options: InProcessOptions, packages: Packages) {
    this.feeBudgetPerHour = options.feeBudgetPerHour;
    this.#options = options;
    this.#packages = packages;
    const der = Buffer.from(pkcs8OfSeed(options.keypair.subarray(0, 32)));
    this.#key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    this.#watch = watchFeePayer(packages.keys.address, options);
  }

  static async create(options: InProcessOptions): Promise<InProcessFacilitator> {
    return new InProcessFacilitator(options, await loadPackages(options.keypair));
  }

  readonly signatureOf = ({ message }: Payment): string => bs58.encode(sign(null, message, this.#key));

  feePayer(network: string): string | undefined {
    return this.#options.chains.has(network) ? this.#packages.keys.address : undefined;
  }

  whyClosed(network: string): string | undefined {
    return this.#watch.isEmpty(network) ? 'the fee payer has no SOL' : undefined;
  }

  async verify(payment: Payment): Promise<Verification> {
    const run: SimulationRun = { sent: false };
    const answer = await Promise.race([
      this.#schemeFor(payment, run, this.#options.verifyingChains).verify(...argumentsOf(payment)),
      sleep(VERIFY_MS, 'late' as const, { ref: false }),
    ]);
    if (run.feePayerIsEmpty) throw this.#closed(payment);
    if (answer === 'late' || run.fault !== undefined) throw unavailable(`verify: ${run.fault ?? 'too slow'}`);
    if (!answer.isValid) {
      return { valid: false, reason: answer.invalidReason ?? '', processed: run.processed ?? 'no' };
    }
    return { valid: true };
  }

  close(): Promise<void> {
    return this.#watch.close();
  }

  async settle(payment: Payment): Promise<Settlement> {
    const run: SimulationRun = { sent: false };
    const signature = this.signatureOf(payment);
    const { chains, background } = this.#options;
    const scheme = this.#schemeFor(payment, run, chains);
    const answer = await background.run('facilitator', () => scheme.settle(...argumentsOf(payment)));
    if (answer?.success) return { outcome: 'settled', signature };
    if (run.failedOnChain) return { outcome: 'refused', reason: FAILED_ON_CHAIN };
    if (run.sent) return { outcome: 'unknown', signature };
    if (run.feePayerIsEmpty) return { outcome: 'unsent', reason: this.#closed(payment).message };
    if (run.fault !== undefined) return { outcome: 'unsent', reason: run.fault };
    const before = await this.#sentBefore(payment, signature, run);
    return before ?? { outcome: 'refused', reason: answer?.errorReason ?? '' };
  }

  /** Closes the network's paid routes until the fee payer can pay. */
  #closed({ network }: Payment): Refusal {
    this.#watch.ranOut(network);
    return unavailable('the fee payer has no SOL');
  }

  /** This call sent nothing, but an earlier process may have sent the payment, which a simulation rejects too. */
  async #sentBefore({ network }: Payment, signature: string, run: SimulationRun): Promise<Settlement | undefined> {
    const chain = this.#options.chains.get(network);
    const status = await chain?.status(signature).catch(() => 'seen' as const);
    if (status === 'confirmed') return { outcome: 'settled', signature };
    const isUnderWay = status === 'seen' || (status === 'missing' && run.processed === 'yes');
    return isUnderWay ? { outcome: 'unknown', signature } : undefined;
  }

  async resend(payment: Payment): Promise<void> {
    const signed = Buffer.from(payment.transaction, 'base64');
    signed.set(bs58.decode(this.signatureOf(payment)), SIGNATURE_OFFSET);
    await this.#options.chains.get(payment.network)?.send(signed.toString('base64'));
  }

  #schemeFor({ network }: Payment, run: SimulationRun, chains: Chains): Scheme {
    const chain = chains.get(network);
    if (!chain) throw unavailable(`no RPC for ${network}`);
    const { keys, cache, toRpc, toSigner, ExactSvmScheme } = this.#packages;
    const transport = async ({ payload }: { payload: unknown }) =>
      JSON.parse(await chain.post(JSON.stringify(payload)));
    const base = toSigner(keys, { [network]: toRpc(transport) });
    const signer: typeof base = {
      ...base,
      simulateTransaction: (transaction, onNetwork, options) =>
        simulate(() => base.simulateTransaction(transaction, onNetwork, options), run),
      sendTransaction: async (transaction, onNetwork) => {
        run.sent = true;
        return base.sendTransaction(transaction, onNetwork);
      },
      confirmTransaction: (signature) => this.#confirm(signature, chain, run),
    };
    // The reader has bounded the fee as a whole.
    return new ExactSvmScheme(signer, cache, { ...LIMITS, maxPriorityFeeMicroLamports: Number.MAX_SAFE_INTEGER });
  }

  async #confirm(signature: string, chain: Chain, run: SimulationRun): Promise<void> {
    const deadline = performance.now() + CONFIRM_MS;
    while (performance.now() < deadline) {
      const status = await chain.status(signature).catch(() => 'missing');
      if (status === 'confirmed') return;
      if (status === 'failed') {
        run.failedOnChain = true;
        throw new Error('failed on the chain');
      }
      await sleep(POLL_MS);
    }
    throw new Error('not confirmed in time');
  }
}

/** What a scheme is called with. The types differ only in x402's template type of network names. */
function argumentsOf(payment: Payment) {
  const { paymentPayload, paymentRequirements } = requestBody(payment);
  return [paymentPayload, paymentRequirements] as unknown as Parameters<Scheme['verify']>;
}
