import { createPrivateKey, sign } from 'node:crypto';
import { Refusal } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import type { Fee, FeeBudget, FeeStore } from '../../../stores/fees.ts';
import { said, unused } from '../outcomes.ts';
import { readTransaction } from '../transaction.ts';
import { feeLamports, LIMITS, MAX_FEE_LAMPORTS } from '../transfer.ts';
import type { Chain } from './chain.ts';
import type { Facilitator, Payment, Settlement, Verification } from './facilitator.ts';
import { requestBody } from './remote.ts';

/** What an in-process facilitator needs. */
export interface InProcessOptions {
  /** The 64 bytes of the fee payer's key pair. */
  readonly keypair: Uint8Array;
  /** The RPC of each network that is sold on. */
  readonly chains: ReadonlyMap<string, Chain>;
  /** Lamports that may be spent on fees in any hour. */
  readonly feeBudgetPerHour: number;
  readonly fees: FeeStore;
}

const VERIFY_MS = 5_000;
const CONFIRM_MS = 20_000;
/** The fee payer's signature is the first one, after the one byte that counts them. */
const SIGNATURE_OFFSET = 1;
const POLL_MS = 250;
const YOUNG_BLOCKHASH_MS = 800;
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

type Svm = typeof import('@x402/svm');
type Signer = ReturnType<Svm['toFacilitatorSvmSigner']>;
type SchemeClass = typeof import('@x402/svm/exact/facilitator').ExactSvmScheme;

/** What has happened at the RPC during one call. */
interface Course {
  /** Something was sent to the network: from then on a failure proves nothing. */
  sent: boolean;
  /** The RPC itself failed, which is never the payment's fault. */
  fault: string | undefined;
  /** The chain shows the transaction with an error. */
  failedOnChain: boolean;
}

const SIMULATED = /^Simulation failed: /;

/** x402's own facilitator in this process, with limits, behind our deadlines and our reading of what it says. */
export class InProcessFacilitator implements Facilitator {
  readonly #options: InProcessOptions;
  readonly #address: string;
  readonly #signers: ReadonlyMap<string, Signer>;
  readonly #scheme: SchemeClass;
  readonly #cache: InstanceType<Svm['SettlementCache']>;
  readonly #budget: FeeBudget;

  private constructor(options: InProcessOptions, address: string, signers: ReadonlyMap<string, Signer>, svm: Loaded) {
    this.#options = options;
    this.#address = address;
    this.#signers = signers;
    this.#scheme = svm.scheme;
    this.#cache = new svm.cache();
    this.#budget = { feePayer: address, limit: options.feeBudgetPerHour };
  }

  /** Loads x402's packages, which nobody needs who does not sell by himself. */
  static async create(options: InProcessOptions): Promise<InProcessFacilitator> {
    const [kit, svm, { ExactSvmScheme }] = await Promise.all([
      import('@solana/kit'),
      import('@x402/svm'),
      import('@x402/svm/exact/facilitator'),
    ]);
    const signer = await kit.createKeyPairSignerFromBytes(options.keypair);
    const signers = new Map(
      [...options.chains].map(([network, chain]) => {
        const transport = async ({ payload }: { payload: unknown }) =>
          JSON.parse(await chain.post(JSON.stringify(payload)));
        const rpc = kit.createSolanaRpcFromTransport(transport);
        return [network, svm.toFacilitatorSvmSigner(signer, { [network]: rpc })];
      }),
    );
    return new InProcessFacilitator(options, signer.address, signers, {
      scheme: ExactSvmScheme,
      cache: svm.SettlementCache,
    });
  }

  feePayer(network: string): string | undefined {
    return this.#signers.has(network) ? this.#address : undefined;
  }

  signatureOf({ message }: Payment): string {
    const der = Buffer.concat([PKCS8_HEAD, this.#options.keypair.subarray(0, 32)]);
    return bs58.encode(sign(null, message, createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })));
  }

  async verify(payment: Payment): Promise<Verification> {
    const isLeft = await said(this.#options.fees.reserve(this.#budget, feeOf(payment)), { payment: unused });
    if (!isLeft) throw unavailable('the hourly fee budget is used up');
    const course: Course = { sent: false, fault: undefined, failedOnChain: false };
    const { paymentPayload, paymentRequirements } = typedBody(payment);
    const late = sleep(VERIFY_MS).then(() => 'late' as const);
    const answer = await Promise.race([
      this.#schemeFor(payment, course).verify(paymentPayload, paymentRequirements),
      late,
    ]);
    if (answer === 'late' || course.fault !== undefined) throw unavailable(`verify: ${course.fault ?? 'too slow'}`);
    return answer.isValid ? { valid: true } : { valid: false, reason: answer.invalidReason ?? '' };
  }

  async settle(payment: Payment): Promise<Settlement> {
    const signature = this.signatureOf(payment);
    const course: Course = { sent: false, fault: undefined, failedOnChain: false };
    const { paymentPayload, paymentRequirements } = typedBody(payment);
    const answer = await this.#schemeFor(payment, course)
      .settle(paymentPayload, paymentRequirements)
      .catch(() => undefined);
    if (answer?.success) return { outcome: 'settled', signature };
    if (course.failedOnChain) return { outcome: 'refused', reason: 'failed on the chain' };
    if (course.sent) return { outcome: 'unknown', signature };
    if (course.fault !== undefined) return { outcome: 'unsent', reason: course.fault };
    return this.#refusedOrBefore(payment, signature, answer?.errorReason ?? '');
  }

  /** Nothing was sent now, but a process before this one may have sent it: a simulation refuses that as well. */
  async #refusedOrBefore({ network }: Payment, signature: string, reason: string): Promise<Settlement> {
    const status = await this.#options.chains
      .get(network)
      ?.status(signature)
      .catch(() => 'seen' as const);
    if (status === 'confirmed') return { outcome: 'settled', signature };
    return status === 'seen' ? { outcome: 'unknown', signature } : { outcome: 'refused', reason };
  }

  async resend(payment: Payment): Promise<void> {
    const signed = Buffer.from(payment.transaction, 'base64');
    signed.set(bs58.decode(this.signatureOf(payment)), SIGNATURE_OFFSET);
    await this.#options.chains.get(payment.network)?.send(signed.toString('base64'));
  }

  #schemeFor(payment: Payment, course: Course): InstanceType<SchemeClass> {
    const { network } = payment;
    const base = this.#signers.get(network);
    if (!base) throw unavailable(`no RPC for ${network}`);
    const signer: Signer = {
      ...base,
      simulateTransaction: (transaction, onNetwork, options) =>
        simulate(() => base.simulateTransaction(transaction, onNetwork, options), course),
      sendTransaction: async (transaction, onNetwork) => {
        course.sent = true;
        // What was set aside counts for a while although this should fail.
        await this.#options.fees.spend(this.#budget, feeOf(payment)).catch(() => undefined);
        return base.sendTransaction(transaction, onNetwork);
      },
      confirmTransaction: (signature) => this.#confirm(signature, network, course),
    };
    return new this.#scheme(signer, this.#cache, LIMITS);
  }

  async #confirm(signature: string, network: string, course: Course): Promise<void> {
    const deadline = performance.now() + CONFIRM_MS;
    while (performance.now() < deadline) {
      const status = await this.#options.chains
        .get(network)
        ?.status(signature)
        .catch(() => 'missing');
      if (status === 'confirmed') return;
      if (status === 'failed') {
        course.failedOnChain = true;
        throw new Error('failed on the chain');
      }
      await sleep(POLL_MS);
    }
    throw new Error('not confirmed in time');
  }
}

/** A blockhash that our RPC does not know yet is asked for once more; an RPC that fails is noted as such. */
async function simulate(once: () => Promise<void>, course: Course): Promise<void> {
  try {
    await once().catch(async (error: Error) => {
      if (!error.message.includes('BlockhashNotFound')) throw error;
      await sleep(YOUNG_BLOCKHASH_MS);
      await once();
    });
  } catch (error) {
    const { message } = error as Error;
    if (!SIMULATED.test(message)) course.fault = 'the RPC could not simulate';
    throw error;
  }
}

/** What a payment costs its fee payer, from the transaction itself. */
function feeOf({ key, transaction }: Payment): Fee {
  const read = readTransaction(Buffer.from(transaction, 'base64'));
  return { key, lamports: read ? feeLamports(read) : MAX_FEE_LAMPORTS };
}

const unavailable = (reason: string): Refusal => new Refusal('facilitator_unavailable', { reason, payment: unused });

interface Loaded {
  readonly scheme: SchemeClass;
  readonly cache: Svm['SettlementCache'];
}

type Verify = InstanceType<SchemeClass>['verify'];

/** Our requirement is x402's; only the template type of its network names differs. */
function typedBody(payment: Payment) {
  return requestBody(payment) as unknown as {
    paymentPayload: Parameters<Verify>[0];
    paymentRequirements: Parameters<Verify>[1];
  };
}
