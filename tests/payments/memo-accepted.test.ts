import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Forge, type Genuine, openForge } from './forge-market.ts';

let forge: Forge;
/** As good after each refusal as before. */
let genuine: Genuine;
beforeAll(async () => {
  forge = await openForge();
  genuine = await forge.genuine();
});
afterAll(() => forge.stop());

type Fields = Record<string, unknown>;
const MAINNET = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const STRANGER = 'So11111111111111111111111111111111111111112';

const inExtra = (change: Fields) => (accepted: Fields) => ({
  ...accepted,
  extra: { ...(accepted.extra as Fields), ...change },
});
const without = (name: string) => (accepted: Fields) =>
  Object.fromEntries(Object.entries(accepted).filter(([each]) => each !== name));

const alterations: readonly (readonly [string, (accepted: Fields) => unknown])[] = [
  ['another scheme', (it) => ({ ...it, scheme: 'upto' })],
  ['another network', (it) => ({ ...it, network: MAINNET })],
  ['the short name of the network', (it) => ({ ...it, network: 'solana-devnet' })],
  ['a smaller amount', (it) => ({ ...it, amount: '4' })],
  ['a larger amount', (it) => ({ ...it, amount: '6' })],
  ['the amount as a number', (it) => ({ ...it, amount: 5 })],
  ['the amount in another spelling', (it) => ({ ...it, amount: '05' })],
  ['another asset', (it) => ({ ...it, asset: STRANGER })],
  ['another payee', (it) => ({ ...it, payTo: STRANGER })],
  ['another timeout', (it) => ({ ...it, maxTimeoutSeconds: 61 })],
  ['the timeout as text', (it) => ({ ...it, maxTimeoutSeconds: '60' })],
  ['another fee payer', inExtra({ feePayer: STRANGER })],
  ['another memo', inExtra({ memo: 'x'.repeat(32) })],
  ['no memo', inExtra({ memo: undefined })],
  ['an unknown field', (it) => ({ ...it, discount: true })],
  ['a field of version 1', (it) => ({ ...it, maxAmountRequired: '5' })],
  ...['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra'].map(
    (name) => [`no ${name}`, without(name)] as const,
  ),
  ['extra that is nothing', (it) => ({ ...it, extra: null })],
  ['extra that is a list', (it) => ({ ...it, extra: [it.extra] })],
  ['nothing', () => undefined],
  ['null', () => null],
  ['a list of requirements', (it) => [it]],
  ['text', (it) => JSON.stringify(it)],
];

describe("the client's copy of the requirement", () => {
  it.each(alterations)('P15 with %s is refused before anybody is asked', async (_, alter) => {
    const { payload } = genuine;
    const before = await forge.standing();
    const told = await forge.pay({ ...payload, accepted: alter(payload.accepted as Fields) });
    expect({ status: told.status, error: told.error }).toEqual({ status: 402, error: 'no_matching_requirements' });
    expect(told.body).toMatchObject({ accepts: [{ amount: '5' }] });
    expect(await forge.standing()).toEqual(before);
  });

  it('P15 may carry in extra what clients look up, and come in another order', async () => {
    const { payload } = await forge.genuine();
    const accepted = inExtra({ recentBlockhash: STRANGER, tokenProgram: STRANGER })(payload.accepted as Fields);
    const turned = Object.fromEntries(Object.entries(accepted).reverse());
    expect((await forge.pay({ ...payload, accepted: turned })).status).toBe(200);
  });
});
