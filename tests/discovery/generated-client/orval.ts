// Made from the document of a running gateway by the test that compiles this file.
import { dasMainnetHeliusGetAsset, rpcMainnetHeliusGetBalance, systemCatalog, tokensSearch } from './made-by-orval.ts';
import { connection } from './orval-send.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

/** A call of each kind of route; returns the statuses. */
export async function statuses(baseUrl: string, send: typeof fetch): Promise<number[]> {
  Object.assign(connection, { baseUrl, send });
  const answers = [
    await systemCatalog(),
    await tokensSearch({ q: 'sol', limit: 5 }),
    await rpcMainnetHeliusGetBalance({ params: [WRAPPED_SOL, { commitment: 'finalized' }] }),
    await dasMainnetHeliusGetAsset({ params: { id: WRAPPED_SOL } }),
  ];
  return answers.map(({ status }) => status);
}

/** A call that the document does not allow, which compiles for that reason alone. */
// @ts-expect-error an encoding that does not exist
export const faulty = () => rpcMainnetHeliusGetBalance({ params: [WRAPPED_SOL, { commitment: 'never' }] });
