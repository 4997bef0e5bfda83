import type { Tool } from '@asset-gateway/client/tools';
import { oneLine } from '@asset-gateway/protocol';
import { refusalOf } from './answer.ts';
import { argumentSchema } from './argument-schema.ts';
import { callMethod, type Desk } from './paying.ts';
import { FREE, PAID, type ServedTool } from './served-tool.ts';

const MAX_WRONG = 1000;

/** The methods that are tools of their own unless all are. */
const CHOSEN = [
  'tokens_search',
  'tokens_resolve',
  'tokens_assetDetail',
  'tokens_marketSnapshots',
  'tokens_priceChart',
  'tokens_variants',
  'tokens_markets',
  'tokens_tickers',
  'tokens_riskSummaryByMint',
  'wallet_balances',
  'wallet_history',
  'wallet_transfers',
];

const plain = (schema: object): Record<string, unknown> => JSON.parse(JSON.stringify(schema));

/** One method as a tool. */
function methodTool(desk: Desk, { name, description, inputSchema, annotations, priceUsd }: Tool): ServedTool {
  return {
    name,
    title: annotations.title,
    description,
    inputSchema: plain(inputSchema),
    annotations: priceUsd === undefined ? FREE : PAID,
    call: (input, context) => callMethod(desk, name, input, context),
  };
}

const methodOf = (name: string): string => name.slice(name.indexOf('_') + 1);

/** `getBalance(account, options?) $0.000005` */
function signatureOf({ name, inputSchema: { properties, required }, priceUsd }: Tool): string {
  const names = Object.keys(properties).map((each) => (required.includes(each) ? each : `${each}?`));
  return `${methodOf(name)}(${names.join(', ')}) $${priceUsd}`;
}

/** All methods of a family as one tool, which shows the schema of a method to who gets its arguments wrong. */
function familyTool(desk: Desk, family: 'rpc' | 'das', title: string): ServedTool {
  const tools = new Map(
    desk.calls.methods.filter(({ name }) => name.startsWith(`${family}_`)).map((tool) => [methodOf(tool.name), tool]),
  );
  const checks = new Map([...tools].map(([method, tool]) => [method, argumentSchema(plain(tool.inputSchema))]));
  return {
    name: family,
    title,
    description:
      `${title}, one call of ${[...tools.values()].map(signatureOf).join('; ')}. Arguments go by name; wrong ones are answered, ` +
      'unpaid, with the schema of the method.',
    inputSchema: {
      type: 'object',
      properties: {
        method: { type: 'string', enum: [...tools.keys()] },
        arguments: { type: 'object', description: 'By name, such as {"account": "…"}.' },
      },
      required: ['method', 'arguments'],
      additionalProperties: false,
    },
    annotations: PAID,
    async call(input, context) {
      const method = String(input.method);
      const tool = tools.get(method) as Tool;
      const checked = await checks.get(method)?.['~standard'].validate(input.arguments);
      if (!checked?.issues) return callMethod(desk, tool.name, input.arguments, context);
      const wrong = oneLine(checked.issues.map(({ message }) => message).join('; '), MAX_WRONG);
      return refusalOf(`${method}: ${wrong}. Nothing was paid. Its arguments: ${JSON.stringify(tool.inputSchema)}`);
    },
  };
}

/** The methods that this server offers: those most asked for, with two families as one tool each, or every one. */
export function methodTools(desk: Desk, isAll: boolean): ServedTool[] {
  const { methods } = desk.calls;
  if (isAll) return methods.map((tool) => methodTool(desk, tool));
  const chosen = CHOSEN.flatMap((name) => methods.filter((tool) => tool.name === name));
  return [
    ...chosen.map((tool) => methodTool(desk, tool)),
    familyTool(desk, 'rpc', 'Solana JSON-RPC, reading'),
    familyTool(desk, 'das', 'Digital Asset Standard: NFTs and tokens'),
  ];
}
