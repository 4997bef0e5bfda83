import type { Tool } from '@asset-gateway/client/tools';
import { dollars, NETWORKS, routes } from '@asset-gateway/protocol';
import { failureOf, refusalOf, resultOf } from './answer.ts';
import type { Desk } from './paying.ts';
import { FREE, LOCAL, type ServedTool } from './served-tool.ts';

/** An input that leads to the method's 402; prices do not depend on what it says. */
function anyInput({ name, inputSchema }: Tool): Record<string, unknown> {
  const row = routes.find(({ surface, id }) => name === `${surface}_${id.slice(id.lastIndexOf('.') + 1)}`);
  const inPath: Record<string, unknown> = { ...row?.example.path };
  return Object.fromEntries(inputSchema.required.map((each) => [each, inPath[each] ?? null]));
}

/** Tells what a call would cost at this moment. */
export function quoteTool(desk: Desk): ServedTool {
  const priced = new Map(desk.calls.methods.filter(({ priceUsd }) => priceUsd).map((tool) => [tool.name, tool]));
  return {
    name: 'quote',
    title: 'What a call costs',
    description:
      'What the gateway asks at this moment for one call of a paid method, and whether the budget covers it. Free; signs nothing.',
    inputSchema: {
      type: 'object',
      properties: { method: { type: 'string', description: 'Such as wallet_balances, rpc_getBalance, das_getAsset.' } },
      required: ['method'],
      additionalProperties: false,
    },
    annotations: FREE,
    async call({ method }, { signal }) {
      const tool = priced.get(String(method));
      if (!tool)
        return refusalOf(`These methods cost something: ${[...priced.keys()].join(', ')}. All others are free.`);
      try {
        const offer = await desk.calls.quote({ tool: tool.name, input: anyInput(tool), signal });
        if (!offer) return resultOf({ method, priceUsd: '0.00', needsAsking: false });
        const { network, payTo, amount } = offer;
        const cluster = network === NETWORKS.mainnet ? 'mainnet' : 'devnet';
        const needsAsking = !isCovered(desk, Number(amount));
        return resultOf({ method, priceUsd: dollars(Number(amount)), cluster, payTo, needsAsking });
      } catch (error) {
        return failureOf(error, desk, {});
      }
    },
  };
}

function isCovered({ calls: { options } }: Desk, micros: number): boolean {
  const { purse, budget } = options;
  if (!purse) return false;
  const [perCall, perDay] = [budget.perCallUsd, budget.perDayUsd].map((usd) => Math.round(usd * 1e6)) as [
    number,
    number,
  ];
  return micros <= perCall && purse.ledger.spending().dayMicros + micros <= perDay;
}

/** Tells what has been spent and what may be. */
export function spendingTool(desk: Desk): ServedTool {
  return {
    name: 'spending',
    title: 'What was spent, and the budget',
    description:
      'What was spent in the last 24 hours, by the command line too, and what this server pays without asking. Free.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    annotations: LOCAL,
    async call() {
      const { purse, budget } = desk.calls.options;
      if (!purse)
        return resultOf({ wallet: null, spentUsd: '0.00', note: 'This server has no wallet: it never pays.' });
      return resultOf({
        wallet: purse.wallet.signer.address,
        spentUsd: dollars(purse.ledger.spending().dayMicros),
        budgetUsdPerDay: budget.perDayUsd,
        budgetUsdPerCall: budget.perCallUsd,
      });
    },
  };
}
