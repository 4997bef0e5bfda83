import {
  AccountRole,
  type Address,
  appendTransactionMessageInstruction,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  getTransactionEncoder,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Chain, startChain } from '../../packages/sandbox/src/chain/chain.ts';

const SYSTEM = '11111111111111111111111111111111' as Address;
const FUNDS = 10_000_000_000n;

let chain: Chain;
let payer: KeyPairSigner;
let payee: Address;
beforeAll(async () => {
  chain = await startChain({ cluster: 'mainnet', blockMs: Number.POSITIVE_INFINITY });
});
afterAll(() => chain.close());
beforeEach(async () => {
  payer = await generateKeyPairSigner();
  payee = (await generateKeyPairSigner()).address;
  chain.airdrop(payer.address, FUNDS);
});

async function transfer(lamports: bigint, version: 'legacy' | 0 = 0): Promise<string> {
  const { value } = (await chain.answer('getLatestBlockhash', [{ commitment: 'confirmed' }])) as {
    value: { blockhash: Blockhash; lastValidBlockHeight: bigint };
  };
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2, 0);
  data.writeBigUInt64LE(lamports, 4);
  const accounts = [
    { address: payer.address, role: AccountRole.WRITABLE_SIGNER },
    { address: payee, role: AccountRole.WRITABLE },
  ];
  const message = pipe(
    createTransactionMessage({ version: version as 0 }),
    (draft) => setTransactionMessageFeePayerSigner(payer, draft),
    (draft) => setTransactionMessageLifetimeUsingBlockhash(value, draft),
    (draft) => appendTransactionMessageInstruction({ programAddress: SYSTEM, accounts, data }, draft),
  );
  const signed = await signTransactionMessageWithSigners(message);
  return Buffer.from(getTransactionEncoder().encode(signed)).toString('base64');
}

const BASE64 = { encoding: 'base64', preflightCommitment: 'confirmed' } as const;
const send = (wire: string, config: object = {}) => chain.answer('sendTransaction', [wire, { ...BASE64, ...config }]);
const simulate = async (wire: string, config: object = {}) => {
  const answer = await chain.answer('simulateTransaction', [
    wire,
    { encoding: 'base64', commitment: 'confirmed', ...config },
  ]);
  return (answer as { value: Record<string, unknown> }).value;
};

describe('a transaction on the wire', () => {
  it.each(['legacy', 0] as const)('of version %s lands once', async (version) => {
    const wire = await transfer(5_000_000n, version);
    expect(await simulate(wire)).toMatchObject({ err: null, unitsConsumed: 150n });
    const signature = await send(wire);
    expect(chain.lamports(payee)).toBe(5_000_000n);
    expect(chain.lamports(payer.address)).toBe(FUNDS - 5_005_000n);
    expect(await simulate(wire)).toMatchObject({ err: 'AlreadyProcessed' });
    await expect(send(wire)).rejects.toMatchObject({ code: -32002, data: { err: 'AlreadyProcessed' } });
    expect(await send(wire, { skipPreflight: true })).toBe(signature);
    expect(chain.lamports(payee)).toBe(5_000_000n);
  });

  it('that fails on the chain costs its fee and has its error as status', async () => {
    const wire = await transfer(FUNDS);
    const err = { InstructionError: [0, { Custom: 1 }] };
    await expect(send(wire)).rejects.toMatchObject({
      code: -32002,
      data: { err },
    });
    expect(chain.lamports(payer.address)).toBe(FUNDS);
    const signature = await send(wire, { skipPreflight: true });
    expect(chain.lamports(payer.address)).toBe(FUNDS - 5_000n);
    const statuses = await chain.answer('getSignatureStatuses', [[String(signature)]]);
    expect(statuses).toMatchObject({ value: [{ err, status: { Err: err }, confirmationStatus: 'confirmed' }] });
  });

  it('without its signature is refused by the preflight, and never lands', async () => {
    const wire = Buffer.from(await transfer(1n), 'base64')
      .fill(0, 1, 65)
      .toString('base64');
    await expect(send(wire)).rejects.toMatchObject({ code: -32003 });
    expect(await send(wire, { skipPreflight: true })).toBe('1'.repeat(64));
    expect(chain.lamports(payee)).toBe(0n);
  });

  it('whose blockhash has expired never lands', async () => {
    const wire = await transfer(1n);
    chain.faults.expireBlockhashes();
    expect(await simulate(wire)).toMatchObject({ err: 'BlockhashNotFound' });
    await send(wire, { skipPreflight: true });
    expect(chain.lamports(payee)).toBe(0n);
  });

  it('whose payer has nothing never lands', async () => {
    payer = await generateKeyPairSigner();
    const signature = await send(await transfer(1n), { skipPreflight: true });
    expect(await chain.answer('getSignatureStatuses', [[String(signature)]])).toMatchObject({ value: [null] });
  });
});
