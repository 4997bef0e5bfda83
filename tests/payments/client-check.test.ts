import { newKeypair } from '@asset-gateway/client/node';
import { type Offer, offerIn } from '@asset-gateway/client/pay';
import { NETWORKS, USDC } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { assertPays, type Payment } from '../../packages/client/src/payment-check.ts';
import { associatedAddress } from '../../packages/sandbox/src/chain/token.ts';
import { addressOf, carrying, openMarket } from './forge-market.ts';
import { copyOf, instruction, limitOf, memoOf, PROGRAMS, transferOf, u64 } from './forge-table.ts';
import { type Draft, draftOf, readable, signed, signer, writable } from './forge-wire.ts';

const market = await openMarket();
afterAll(() => market.chain.close());
const thief = newKeypair();
const [payer, stranger, payTo] = [market.payer, thief, market.payee].map(addressOf) as [string, string, string];
const strangersAta = await associatedAddress(stranger, USDC.devnet);
const genuine = market.genuine.payload as unknown as Payment;
const offer = offerIn(market.required) as Offer;

/** The genuine payment with a changed transaction, signed again. */
function changed(change: (draft: Draft) => void): Payment {
  const draft = draftOf(market.genuine.wire);
  change(draft);
  return carrying(market.genuine.payload, signed(draft, [market.payer, thief])) as unknown as Payment;
}

const setData = (draft: Draft, data: readonly number[]) =>
  Object.assign(transferOf(draft), { data: Uint8Array.from(data) });
const setAccount = (draft: Draft, at: number, key: string) => {
  const index = writable(draft, key);
  transferOf(draft).accounts[at] = index;
};
const [SOURCE, MINT, DESTINATION, AUTHORITY] = [0, 1, 2, 3];

describe('a payment is sent', () => {
  it('as x402’s own client makes it', async () => {
    await expect(assertPays(genuine, offer, payer)).resolves.toBeUndefined();
  });

  it('with another bid for compute units', async () => {
    const payment = changed((draft) => {
      limitOf(draft).data = Uint8Array.from([2, 0, 0, 1, 0]);
    });
    await expect(assertPays(payment, offer, payer)).resolves.toBeUndefined();
  });
});

describe('a payment is not sent', () => {
  const forgeries: readonly (readonly [string, (draft: Draft) => unknown])[] = [
    ['of more', (draft) => setData(draft, [12, ...u64(6n), 6])],
    ['of less', (draft) => setData(draft, [12, ...u64(4n), 6])],
    ['of another count of decimals', (draft) => setData(draft, [12, ...u64(5n), 9])],
    ['by a transfer that is not checked', (draft) => setData(draft, [3, ...u64(5n)])],
    ['that approves a later transfer', (draft) => setData(draft, [13, ...u64(5n), 6])],
    ['with another memo', (draft) => Object.assign(memoOf(draft), { data: Buffer.from('y'.repeat(32)) })],
    ['with a memo more', (draft) => draft.instructions.push(copyOf(memoOf(draft)))],
    ['made twice', (draft) => draft.instructions.push(copyOf(transferOf(draft)))],
    ['not made', (draft) => draft.instructions.splice(2, 1)],
    ['of another mint', (draft) => setAccount(draft, MINT, PROGRAMS.system)],
    ["to a stranger's account", (draft) => setAccount(draft, DESTINATION, strangersAta)],
    ["to the payee's wallet in place of its token account", (draft) => setAccount(draft, DESTINATION, payTo)],
    ["from a stranger's account", (draft) => setAccount(draft, SOURCE, strangersAta)],
    [
      'on the word of a stranger',
      (draft) => {
        const authority = signer(draft, stranger);
        transferOf(draft).accounts[AUTHORITY] = authority;
      },
    ],
    ['with an account too many', (draft) => transferOf(draft).accounts.push(0)],
    [
      'by another token program',
      (draft) => Object.assign(transferOf(draft), { program: readable(draft, PROGRAMS.token2022) }),
    ],
    [
      'with an additional transfer of lamports',
      (draft) => draft.instructions.push(instruction(draft, PROGRAMS.system, [1, 0], [2, 0, 0, 0, ...u64(1000n)])),
    ],
    ['to an account of a lookup table', toLookup],
  ];

  function toLookup(draft: Draft): void {
    draft.lookups.push({ table: stranger, writable: [0], readonly: [] });
    transferOf(draft).accounts[DESTINATION] = draft.keys.length;
  }

  it.each(forgeries)('%s', async (_, change) => {
    await expect(assertPays(changed(change), offer, payer)).rejects.toThrow(
      /^the payment differs from the approved offer/,
    );
  });

  it.each([
    ['scheme', 'upto'],
    ['network', NETWORKS.mainnet],
    ['asset', USDC.mainnet],
    ['payTo', stranger],
    ['amount', '900000'],
    ['amount', undefined],
  ])('that claims to be for another %s: %s', async (name, value) => {
    const accepted = { ...(genuine.accepted as object), [name]: value };
    await expect(assertPays({ ...genuine, accepted }, offer, payer)).rejects.toThrow(/differs from the approved offer/);
  });

  it.each<[string, Partial<Offer>]>([
    ['amount', { amount: '6' }],
    ['payee', { payTo: stranger }],
    ['network', { network: NETWORKS.mainnet }],
  ])('when another %s was approved', async (_, approved) => {
    await expect(assertPays(genuine, { ...offer, ...approved }, payer)).rejects.toThrow(/it was not sent$/);
  });

  it('that is no transaction at all', async () => {
    await expect(assertPays({ ...genuine, payload: { transaction: 'AAAA' } }, offer, payer)).rejects.toThrow();
    await expect(assertPays({ ...genuine, payload: {} }, offer, payer)).rejects.toThrow();
  });
});
