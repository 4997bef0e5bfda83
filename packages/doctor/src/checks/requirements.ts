import { below, isAddress, isObject, listAt, type Members, textAt } from '@asset-gateway/protocol';
import { type CatalogEntry, endpointOf, MAX_PRICE_LENGTH } from '../entry.ts';
import { type Exploration, type RouteProbe, unpaidAnswers } from '../explore.ts';
import { type Fault, faultsAt, type Problem, requestLineOf, unless } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { challengeIn } from '../reading.ts';
import { operationsIn } from './openapi.ts';

const CAIP_2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;

/** Returns the invalid members of a requirement. */
function brokenMembers(requirement: unknown, entry: CatalogEntry): string[] {
  const timeout = below(requirement, 'maxTimeoutSeconds');
  const checks: Readonly<Record<string, boolean>> = {
    scheme: below(requirement, 'scheme') === 'exact',
    network: CAIP_2.test(textAt(requirement, 'network')) && below(requirement, 'network') === entry.paymentNetwork,
    amount: /^[1-9][0-9]*$/.test(textAt(requirement, 'amount')),
    asset: below(requirement, 'asset') === entry.paymentAsset?.mint && isAddress(below(requirement, 'asset')),
    payTo: isAddress(below(requirement, 'payTo')),
    maxTimeoutSeconds: typeof timeout === 'number' && timeout > 0,
    'extra.feePayer': isAddress(below(requirement, 'extra', 'feePayer')),
  };
  return Object.keys(checks).filter((name) => !checks[name]);
}

function requirementProblem(entry: CatalogEntry, answer: Answer): Problem | undefined {
  const challenge = challengeIn(answer);
  if (!challenge) return undefined;
  const accepts = listAt(challenge, 'accepts');
  if (entry.accessMode === 'siwx') {
    const problem = 'a free route asks for a payment';
    return unless(accepts.length === 0, { problem, fix: 'Empty accepts, or list the route as exact' });
  }
  if (accepts.length === 0) {
    return { problem: 'accepts is empty, so no client can pay', fix: 'Offer a payment requirement' };
  }
  const broken = [...new Set(accepts.flatMap((requirement) => brokenMembers(requirement, entry)))];
  return unless(broken.length === 0, {
    problem: `accepts has an invalid ${broken.join(', ')}`,
    fix: 'Offer scheme exact, the network and asset of the catalog, a base58 payTo and fee payer, and a timeout',
  });
}

/** Checks that clients can pay the challenges of paid routes, and that those of free routes ask for no money. */
export const requirements = (exploration: Exploration): Fault[] =>
  unpaidAnswers(exploration).flatMap(({ entry, answer }) => faultsAt(answer, requirementProblem(entry, answer)));

/** Returns dollars in atomic units of an asset; undefined if they are not a whole number. */
function atomicUnits(dollars: string, decimals: number): string | undefined {
  if (dollars.length > MAX_PRICE_LENGTH) return undefined;
  const [whole = '', fraction = ''] = dollars.split('.');
  let end = fraction.length;
  while (fraction[end - 1] === '0') end--;
  const digits = fraction.slice(0, end);
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(digits) || digits.length > decimals) return undefined;
  return String(BigInt(whole + digits.padEnd(decimals, '0')));
}

function priceProblem({ entry, unpaid }: RouteProbe, operation: Members | undefined): Problem | undefined {
  const { accessMode, priceUsd, credit, paymentAsset } = entry;
  if (accessMode === 'siwx') {
    const problem = `it is free with a signature, but the catalog says $${priceUsd}`;
    return unless(Number(priceUsd) === 0, { problem, fix: 'List it at 0.00, or as exact' });
  }
  const inOpenApi = below(operation, 'x-payment-info', 'price');
  const amount = isObject(inOpenApi) ? inOpenApi.amount : inOpenApi;
  const declared = amount === undefined ? undefined : String(amount);
  const decimals = paymentAsset?.decimals ?? 0;
  const offers = unpaid.map((answer) => listAt(challengeIn(answer), 'accepts'));
  // By default, clients pay the first requirement. With credit, larger ones follow.
  const required = offers.flatMap((accepts) => (credit === undefined ? accepts : accepts.slice(0, 1)));
  const amounts = [...new Set(required.map((requirement) => textAt(requirement, 'amount')))];
  const listed = atomicUnits(priceUsd, decimals);
  const others = [...amounts, ...(declared === undefined ? [] : [atomicUnits(declared, decimals)])];
  const prices = [
    `$${priceUsd} in the catalog`,
    ...(amounts.length > 0 ? [`${amounts.join(' or ')} atomic units in the 402`] : []),
    ...(declared === undefined ? [] : [`$${declared} in OpenAPI`]),
  ];
  return unless(listed !== undefined && others.every((amount) => amount === listed), {
    problem: `the price is ${prices.join(', ')}`,
    fix: `Use one price for ${endpointOf(entry)}`,
  });
}

/** Checks that catalog, challenges and OpenAPI agree on prices. */
export function price({ routes, origin, documents }: Exploration): Fault[] {
  const operations = operationsIn(documents.openapi.json);
  return routes.flatMap((probed) => {
    const { entry } = probed;
    return faultsAt(requestLineOf(entry, origin), priceProblem(probed, operations.get(endpointOf(entry))));
  });
}
