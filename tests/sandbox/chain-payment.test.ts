import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme as ExactClient } from '@x402/svm/exact/client';
import { ExactSvmScheme as ExactFacilitator } from '@x402/svm/exact/facilitator';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Chain, type Cluster, startChain } from '../../packages/sandbox/src/chain/chain.ts';

const NETWORKS = {
  mainnet: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  devnet: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
} as const;
const PRICE = 1000n;
const USDC = 1_000_000n;

// The official packages also print their errors.
beforeAll(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));

interface Market {
  readonly chain: Chain;
  readonly feePayer: KeyPairSigner;
  readonly payer: KeyPairSigner;
  readonly payee: string;
  readonly facilitator: x402Facilitator;
  readonly requirements: PaymentRequirements;
  pay(from?: KeyPairSigner): Promise<PaymentPayload>;
}

async function openGateway(cluster: Cluster): Promise<Market> {
  const chain = await startChain({ cluster });
  const [feePayer, payer, payee] = await Promise.all([0, 1, 2].map(() => generateKeyPairSigner()));
  if (!feePayer || !payer || !payee) throw new Error('no signers');
  chain.airdrop(feePayer.address, 1_000_000_000n);
  await chain.fundUsdc(payer.address, USDC);
  await chain.createAta(payee.address);
  const network = NETWORKS[cluster];
  const signer = toFacilitatorSvmSigner(feePayer, { defaultRpcUrl: chain.url });
  const facilitator = new x402Facilitator().register(network, new ExactFacilitator(signer));
  const requirements: PaymentRequirements = {
    scheme: 'exact',
    network,
    amount: PRICE.toString(),
    asset: chain.usdcMint,
    payTo: payee.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: feePayer.address },
  };
  return {
    chain,
    feePayer,
    payer,
    payee: payee.address,
    facilitator,
    requirements,
    async pay(from = payer) {
      const client = new ExactClient(from, { rpcUrl: chain.url });
      const { payload } = await client.createPaymentPayload(2, requirements);
      return { x402Version: 2, accepted: requirements, payload, resource: { url: 'https://gateway.example/paid' } };
    },
  };
}

describe.each(['mainnet', 'devnet'] as const)('a payment on %s', (cluster) => {
  let gateway: Market;
  beforeEach(async () => {
    gateway = await openGateway(cluster);
  });
  afterEach(() => gateway.chain.close());

  it('is built, verified and settled by the official packages, exact to the micro-dollar', async () => {
    const { chain, facilitator, requirements, payer, payee, feePayer } = gateway;
    const payment = await gateway.pay();
    const verified = await facilitator.verify(payment, requirements);
    expect(verified).toMatchObject({ isValid: true, payer: payer.address });
    expect(await chain.usdcBalance(payee)).toBe(0n);
    const settled = await facilitator.settle(payment, requirements);
    expect(settled).toMatchObject({ success: true, network: requirements.network, payer: payer.address });
    expect(await chain.usdcBalance(payee)).toBe(PRICE);
    expect(await chain.usdcBalance(payer.address)).toBe(USDC - PRICE);
    expect(chain.lamports(feePayer.address)).toBe(1_000_000_000n - 10_001n);
    expect(chain.transfers).toEqual([
      {
        signature: settled.transaction,
        from: payer.address,
        to: payee,
        amount: PRICE,
        memo: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    ]);
    const methods = new Set(chain.calls.map(({ method }) => method));
    expect([...methods].sort()).toEqual([
      'getAccountInfo',
      'getLatestBlockhash',
      'getSignatureStatuses',
      'sendTransaction',
      'simulateTransaction',
    ]);
  });

  it('is refused on a replay, and moves nothing', async () => {
    const { chain, facilitator, requirements, payee } = gateway;
    const payment = await gateway.pay();
    expect((await facilitator.settle(payment, requirements)).success).toBe(true);
    const again = await facilitator.verify(payment, requirements);
    expect(again).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_svm_transaction_simulation_failed',
      invalidMessage: expect.stringContaining('AlreadyProcessed'),
    });
    expect((await facilitator.settle(payment, requirements)).success).toBe(false);
    expect(await chain.usdcBalance(payee)).toBe(PRICE);
    expect(chain.transfers).toHaveLength(1);
  });
});

describe('refusals of the token program and the runtime', () => {
  let gateway: Market;
  beforeEach(async () => {
    gateway = await openGateway('devnet');
  });
  afterEach(() => gateway.chain.close());
  const message = async (payment: PaymentPayload) => {
    const answer = await gateway.facilitator.verify(payment, gateway.requirements);
    return answer.isValid ? 'valid' : answer.invalidMessage;
  };

  it('a payer without enough USDC', async () => {
    const poor = await generateKeyPairSigner();
    await gateway.chain.fundUsdc(poor.address, PRICE - 1n);
    expect(await message(await gateway.pay(poor))).toMatch(/InstructionError.*Custom.*1/);
  });

  it('a payer without a USDC account', async () => {
    const empty = await generateKeyPairSigner();
    expect(await message(await gateway.pay(empty))).toMatch(/InstructionError.*InvalidAccountData/);
  });

  it('a blockhash that has expired', async () => {
    const payment = await gateway.pay();
    expect(await message(payment)).toBe('valid');
    gateway.chain.faults.expireBlockhashes();
    expect(await message(payment)).toContain('BlockhashNotFound');
    expect(await message(await gateway.pay())).toBe('valid');
  });

  it('a transaction without its signatures', async () => {
    const wire = String((await gateway.pay()).payload.transaction);
    const send = (config: object) => gateway.chain.answer('sendTransaction', [wire, { encoding: 'base64', ...config }]);
    expect(typeof (await send({ skipPreflight: true }))).toBe('string');
    await expect(send({})).rejects.toMatchObject({ code: -32003 });
    expect(gateway.chain.transfers).toEqual([]);
  });
});
