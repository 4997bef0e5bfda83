import Type from 'typebox';
import { oneOf, optional } from '../parameters.ts';
import type { Route } from '../route.ts';
import { row } from './system.ts';

/** What is there unless an operator leaves the console out: pages for people, which no description of the API names. */
export const consoleRoutes: readonly Route[] = [
  row('index', 'GET /', 'The console for browsers; for everybody else where the documents are.'),
  row('consoleFile', 'GET /console/:file', 'What the console is made of.', {
    path: { file: Type.String({ pattern: '^[A-Za-z0-9_.-]{1,100}$', description: 'The name of a file.' }) },
    example: { path: { file: 'icon.svg' } },
  }),
  row('chain', 'POST /console/rpc/:cluster', 'What a page needs of the chain to pay, as JSON-RPC.', {
    path: { cluster: oneOf(['mainnet', 'devnet'], 'The cluster.') },
    body: {
      jsonrpc: oneOf(['2.0'], 'The version.'),
      id: Type.Union([Type.Integer(), Type.String({ maxLength: 64 })], { description: 'Comes back with the answer.' }),
      method: oneOf(['getLatestBlockhash', 'getAccountInfo', 'getMultipleAccounts'], 'What is asked.'),
      params: optional(Type.Array(Type.Unknown(), { maxItems: 3, description: 'Of the method.' })),
    },
    example: { path: { cluster: 'mainnet' }, body: { jsonrpc: '2.0', id: 1, method: 'getLatestBlockhash' } },
  }),
];

/** Where a sandbox gives out play money; no gateway has it by itself. */
export const faucetRoute: Route = row('faucet', 'POST /sandbox/faucet', 'Play money for an address.', {
  body: {
    address: Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$', description: 'Who gets it.' }),
    cluster: oneOf(['mainnet', 'devnet'], 'The cluster.'),
  },
});
