import type { Tool } from '@asset-gateway/client/tools';
import { below, clusterOfNetwork, dollars, microsOfUsd, routes } from '@asset-gateway/protocol';
import { partOf, type StoredAnswers, structuredResult, toolError, toolErrorFor } from './answer.ts';
import type { CallServices } from './approvals.ts';
import { FREE, inputOf, LOCAL, type ServedTool } from './served-tool.ts';
import { jsonBytes, trim } from './trim.ts';

/** Returns a valid input of a method, to get its 402. Prices do not depend on the input. */
function anyInput({ name, inputSchema }: Tool): Record<string, unknown> {
  const row = routes.find(({ surface, id }) => name === `${surface}_${id.slice(id.lastIndexOf('.') + 1)}`);
  const inPath: Record<string, unknown> = { ...row?.example.path };
  return Object.fromEntries(inputSchema.required.map((each) => [each, inPath[each] ?? null]));
}

/** Returns the tool that shows the current price of a call. */
export function quoteTool(services: CallServices): ServedTool {
  const priced = new Map(services.calls.methods.filter(({ priceUsd }) => priceUsd).map((tool) => [tool.name, tool]));
  return {
    name: 'quote',
    title: 'Price of a call',
    description:
      'The current price of one call of a paid method, and whether the budget covers it. Free; signs nothing.',
    inputSchema: inputOf(['method'], {
      method: { type: 'string', description: 'Such as wallet_balances, rpc_getBalance, das_getAsset.' },
    }),
    annotations: FREE,
    async call({ method }, { request }) {
      const tool = priced.get(String(method));
      if (!tool) return toolError(`These methods cost money: ${[...priced.keys()].join(', ')}. All others are free.`);
      try {
        const offer = await services.calls.quote(tool, anyInput(tool), request.signal);
        if (!offer) return structuredResult({ method, priceUsd: '0.00', needsAsking: false });
        const { network, payTo, amount, creditPriceUsd } = offer;
        const price = { priceUsd: dollars(Number(amount)), creditPriceUsd, cluster: clusterOfNetwork(network) };
        return structuredResult({ method, ...price, payTo, needsAsking: !isCovered(services, Number(amount)) });
      } catch (error) {
        return toolErrorFor(error, services, {});
      }
    },
  };
}

function isCovered({ calls: { options } }: CallServices, micros: number): boolean {
  const { payer, budget } = options;
  const isWithin = (sum: number, usd: number): boolean => sum <= microsOfUsd(usd);
  if (!payer || !isWithin(micros, budget.perCallUsd)) return false;
  return isWithin(payer.ledger.spending().dayMicros + micros, budget.perDayUsd);
}

/** Returns the tool that shows the spending and the budget. */
export function spendingTool(services: CallServices): ServedTool {
  return {
    name: 'spending',
    title: 'Spending and budget',
    description: 'The spending of the last 24 hours, with the command line, and the budget of this server. Free.',
    inputSchema: inputOf([], {}),
    annotations: LOCAL,
    async call() {
      const { payer, budget } = services.calls.options;
      if (!payer)
        return structuredResult({ wallet: null, spentUsd: '0.00', note: 'This server has no wallet: it never pays.' });
      return structuredResult({
        wallet: payer.wallet.signer.address,
        spentUsd: dollars(payer.ledger.spending().dayMicros),
        budgetUsdPerDay: budget.perDayUsd,
        budgetUsdPerCall: budget.perCallUsd,
      });
    },
  };
}

const GONE = 'This answer is no longer stored: only the last 64 answers are stored, for an hour. Call the tool again.';
/** The size limit of a part with its envelope. */
const MAX_BYTES = 11_000;

/** Returns the value at a JSON Pointer (RFC 6901). */
function valueAt(value: unknown, pointer: string): unknown {
  const [before, ...names] = pointer.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  return before === '' ? below(value, ...names) : undefined;
}

function sliceOf(value: unknown, from: number): unknown {
  if (Array.isArray(value) || typeof value === 'string') return value.slice(from);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).slice(from));
}

/** Returns the tool that shows more of a cut answer. */
export function readOnTool(stored: StoredAnswers): ServedTool {
  return {
    name: 'read_on',
    title: 'More of a cut answer',
    description: 'Shows more of a cut answer by its id, without another call. Free.',
    inputSchema: inputOf(['answer'], {
      answer: { type: 'string', description: 'The id in cut.answer.' },
      path: {
        type: 'string',
        description: 'JSON Pointer in the result, such as /markets/0; default: the whole result.',
      },
      from: { type: 'integer', minimum: 0, description: 'How many items, characters or members to skip.' },
    }),
    annotations: LOCAL,
    async call({ answer, path = '', from = 0 }) {
      const text = stored.text(String(answer));
      if (text === undefined) return toolError(GONE);
      const value = valueAt(JSON.parse(text), String(path));
      if (value === undefined)
        return toolError('The path does not exist. A path is a JSON Pointer such as /markets/0.');
      const part = sliceOf(value, Number(from));
      return jsonBytes(part) <= MAX_BYTES
        ? structuredResult({ result: trim(part, MAX_BYTES) })
        : partOf(String(answer), part, { bytes: Buffer.byteLength(text) });
    },
  };
}
