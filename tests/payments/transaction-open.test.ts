import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carrying, type Forge, openForge } from './forge-market.ts';
import { copyOf, type Forgery, priceOf, REASONS, resigned } from './forge-table.ts';

let forge: Forge;
beforeAll(async () => {
  forge = await openForge();
});
afterAll(() => forge.stop());

/** Headers that no chain reads: the fault is the client's, and no RPC need be asked to find it. */
const HEADERS: readonly Forgery[] = [
  resigned('a fee payer who may not be charged', REASONS.undecodable, (draft) =>
    Object.assign(draft, { readonlySigners: 2 }),
  ),
  resigned('more readers among the signers than signers', REASONS.undecodable, (draft) =>
    Object.assign(draft, { readonlySigners: 3 }),
  ),
  resigned('more readers than keys', REASONS.undecodable, (draft) => Object.assign(draft, { readonlyOthers: 200 })),
];

/** What x402's verifier says of these, in its order. */
const ORDER: readonly Forgery[] = [
  resigned('two compute prices', REASONS.noTransfer, (draft) =>
    draft.instructions.splice(2, 0, copyOf(priceOf(draft))),
  ),
  resigned('the memo before the transfer', REASONS.noTransfer, ({ instructions }) =>
    instructions.splice(2, 2, ...instructions.slice(2, 4).reverse()),
  ),
];

describe('what is refused before anybody else is asked', () => {
  it.each([...HEADERS, ...ORDER])('P10 $name', async ({ make, reason }) => {
    const genuine = await forge.genuine();
    const wire = make(genuine, forge);
    const before = await forge.standing();
    const told = await forge.pay(carrying(genuine.payload, wire));
    expect({ status: told.status, error: told.error }).toEqual({ status: 402, error: reason });
    expect(await forge.standing()).toEqual(before);
  });
});
