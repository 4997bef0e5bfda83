import { doctor } from '../../packages/doctor/src/command.ts';
import type { Outcome } from '../kit/command.ts';
import { type Answerer, startStrangeGateway } from '../kit/strange-gateway.ts';

/** A complete catalog entry. */
export const ENTRY = {
  path: '/a',
  httpMethod: 'GET',
  provider: 'stranger',
  surface: 'rpc',
  method: 'a',
  description: 'A route.',
  accessMode: 'exact',
  paymentRequired: true,
  priceUsd: '0.0005',
  inputSchema: {},
  outputSchema: {},
  paymentNetwork: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  paymentAsset: { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkwyTDt1v', decimals: 6 },
};

const EMPTY = { '/healthz': '{}', '/openapi.json': '{}', '/.well-known/x402': '{}', '/llms.txt': '' };

/** Starts a hostile server on 127.0.0.1 with a catalog of these routes. Other documents are empty by default; `other` answers all other requests. */
export async function startStranger(
  routes: readonly unknown[],
  other: Answerer,
  documents: Readonly<Record<string, string>> = {},
) {
  const all: Record<string, string> = {
    ...EMPTY,
    '/v1/catalog': JSON.stringify({ catalog: {}, routes }),
    ...documents,
  };
  const { url, stop, arrivals, answer } = await startStrangeGateway();
  answer((arrival, response) => {
    const document = all[arrival.path];
    if (document === undefined) other(arrival, response);
    else response.end(document);
  });
  /** `asked`: the requested targets, in order. */
  return { url, stop, asked: () => arrivals.map(({ path }) => path) };
}

/** Runs the doctor's command in this process. */
export async function run(...words: string[]): Promise<Outcome> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const writing = (to: string[]) => ({ write: (text: string) => to.push(text) });
  const code = await doctor(words, { stdout: writing(stdout), stderr: writing(stderr) });
  return { code, stdout: stdout.join(''), stderr: stderr.join('') };
}
