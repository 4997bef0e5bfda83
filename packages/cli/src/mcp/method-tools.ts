import { apiRoutes, type Tool } from '@asset-gateway/client/tools';
import { oneLine, priceText } from '@asset-gateway/protocol';
import { toolError } from './answer.ts';
import { type CallServices, callMethod } from './approvals.ts';
import { argumentSchema, FREE, inputOf, PAID, type ServedTool } from './served-tool.ts';

const MAX_WRONG = 1000;

/** The methods that have their own tools by default. */
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

/** Returns one method as a tool. */
function methodTool(services: CallServices, tool: Tool): ServedTool {
  const { name, description, inputSchema } = tool;
  const annotations = tool.priceUsd === undefined ? FREE : PAID;
  const call: ServedTool['call'] = (input, context) => callMethod(services, tool, input, context);
  return { name, title: tool.annotations.title, description, inputSchema, annotations, call };
}

const methodOf = (name: string): string => name.slice(name.indexOf('_') + 1);

/** Returns a method's signature, such as `getBalance(account, options?) $0.004005, or $0.000005 from credit`. */
function signatureOf({ name, inputSchema: { properties, required }, priceUsd, creditPriceUsd }: Tool): string {
  const names = Object.keys(properties).map((each) => (required.includes(each) ? each : `${each}?`));
  return `${methodOf(name)}(${names.join(', ')}) ${priceUsd === undefined ? 'free' : priceText({ priceUsd, creditPriceUsd })}`;
}

const MAX_SIGNATURES = 4_000;

/** Returns a family's signatures, as many as a model should read. */
function signaturesOf(tools: readonly Tool[]): string {
  const signatures: string[] = [];
  for (const signature of tools.map(signatureOf)) {
    if (signatures.join('; ').length + signature.length > MAX_SIGNATURES) break;
    signatures.push(signature);
  }
  const left = tools.length - signatures.length;
  return signatures.join('; ') + (left > 0 ? `; and ${left} more` : '');
}

/** Returns a tool for all methods of a family. For wrong arguments it returns the method's schema. */
function familyTool(services: CallServices, family: string, title: string): ServedTool {
  const tools = new Map(
    services.calls.methods
      .filter(({ name }) => name.startsWith(`${family}_`))
      .map((tool) => [methodOf(tool.name), tool]),
  );
  const checks = new Map([...tools].map(([method, tool]) => [method, argumentSchema(tool.inputSchema)]));
  return {
    name: family,
    title,
    description:
      `${title}, one call of ${signaturesOf([...tools.values()])}. Pass arguments by name. Wrong arguments cost nothing ` +
      'and return the schema of the method.',
    inputSchema: inputOf(['method', 'arguments'], {
      method: { type: 'string', enum: [...tools.keys()] },
      arguments: { type: 'object', description: 'By name, such as {"account": "…"}.' },
    }),
    annotations: [...tools.values()].some(({ priceUsd }) => priceUsd !== undefined) ? PAID : FREE,
    async call(input, context) {
      const method = String(input.method);
      const tool = tools.get(method) as Tool;
      const checked = await checks.get(method)?.['~standard'].validate(input.arguments);
      if (!checked?.issues) return callMethod(services, tool, input.arguments, context);
      const wrong = oneLine(checked.issues.map(({ message }) => message).join('; '), MAX_WRONG);
      return toolError(`${method}: ${wrong}. Nothing was paid. Its arguments: ${JSON.stringify(tool.inputSchema)}`);
    },
  };
}

/** The most operations of an API with a tool each. A larger API gets a single tool. */
const MOST_TOOLS = 20;

/** Returns the tools of the operator's APIs: one per operation, or one for a large API. */
function apiTools(services: CallServices): ServedTool[] {
  const { methods, options } = services.calls;
  const apis = [...new Set(apiRoutes(options.listed ?? []).map(({ surface }) => surface))];
  return apis.flatMap((api) => {
    const own = methods.filter(({ name }) => name.startsWith(`${api}_`));
    if (own.length > MOST_TOOLS) return [familyTool(services, api, `The API ${api}`)];
    return own.map((tool) => methodTool(services, tool));
  });
}

/** Returns the method tools: the most common methods and one tool for each of two families, or one per method. */
export function methodTools(services: CallServices, isAll: boolean): ServedTool[] {
  const { methods } = services.calls;
  if (isAll) return methods.map((tool) => methodTool(services, tool));
  const chosen = CHOSEN.flatMap((name) => methods.filter((tool) => tool.name === name));
  return [
    ...chosen.map((tool) => methodTool(services, tool)),
    familyTool(services, 'rpc', 'Solana JSON-RPC, reading'),
    familyTool(services, 'das', 'Digital Asset Standard: NFTs and tokens'),
    ...apiTools(services),
  ];
}
