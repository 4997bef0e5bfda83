import { below, isObject, listAt, type Members, textAt } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { type Check, type Fault, unless, whereOf } from '../finding.ts';
import type { Answer } from '../http-client.ts';
import { challengeIn } from '../reading.ts';
import { type Entry, endpointOf, MAX_PRICE_LENGTH, type RouteProbe, unpaidAnswers } from '../world.ts';
import { operationsByEndpoint } from './openapi.ts';

const ADDRESS_BYTES = 32;
const CAIP_2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;

/** The longest base58 text of an address. Decoding takes quadratic time. */
const ADDRESS_DIGITS = 44;

const isAddress = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= ADDRESS_DIGITS && bs58.decodeUnsafe(value)?.length === ADDRESS_BYTES;

/** The invalid members of a requirement. */
function brokenMembers(requirement: unknown, entry: Entry): string[] {
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

function requirementFaults(entry: Entry, answer: Answer): Fault[] {
  const challenge = challengeIn(answer);
  if (!challenge) return [];
  const where = whereOf(answer);
  const accepts = listAt(challenge, 'accepts');
  if (entry.accessMode === 'siwx') {
    const problem = 'a free route asks for a payment';
    return unless(accepts.length === 0, { where, problem, fix: 'Empty accepts, or list the route as exact' });
  }
  if (accepts.length === 0) {
    return [{ where, problem: 'accepts is empty, so no client can pay', fix: 'Offer a payment requirement' }];
  }
  const broken = [...new Set(accepts.flatMap((requirement) => brokenMembers(requirement, entry)))];
  return unless(broken.length === 0, {
    where,
    problem: `accepts has an invalid ${broken.join(', ')}`,
    fix: 'Offer scheme exact, the network and asset of the catalog, a base58 payTo and fee payer, and a timeout',
  });
}

/** Dollars as atomic units of an asset; undefined if they are not a whole number. */
function atomicUnits(dollars: string, decimals: number): string | undefined {
  if (dollars.length > MAX_PRICE_LENGTH) return undefined;
  const [whole = '', fraction = ''] = dollars.split('.');
  let end = fraction.length;
  while (fraction[end - 1] === '0') end--;
  const digits = fraction.slice(0, end);
  if (!/^\d+$/.test(whole) || !/^\d*$/.test(digits) || digits.length > decimals) return undefined;
  return String(BigInt(whole + digits.padEnd(decimals, '0')));
}

/** The price of an OpenAPI operation, in dollars. */
function declaredPrice(operation: Members | undefined): string | undefined {
  const price = below(operation, 'x-payment-info', 'price');
  const amount = isObject(price) ? price.amount : price;
  return amount === undefined ? undefined : String(amount);
}

function priceFaults({ entry, unpaid }: RouteProbe, origin: string, operation: Members | undefined): Fault[] {
  const declared = declaredPrice(operation);
  const where = `${entry.httpMethod} ${origin}${entry.path}`;
  if (entry.accessMode === 'siwx') {
    const problem = `it is free with a signature, but the catalog says $${entry.priceUsd}`;
    return unless(Number(entry.priceUsd) === 0, { where, problem, fix: 'List it at 0.00, or as exact' });
  }
  const decimals = entry.paymentAsset?.decimals ?? 0;
  const offers = unpaid.map((answer) => listAt(challengeIn(answer), 'accepts'));
  // Clients pay the first requirement by default; with credit, larger ones follow.
  const required = offers.flatMap((accepts) => (entry.credit === undefined ? accepts : accepts.slice(0, 1)));
  const amounts = [...new Set(required.map((requirement) => textAt(requirement, 'amount')))];
  const listed = atomicUnits(entry.priceUsd, decimals);
  const others = [...amounts, ...(declared === undefined ? [] : [atomicUnits(declared, decimals)])];
  const prices = [
    `$${entry.priceUsd} in the catalog`,
    ...(amounts.length > 0 ? [`${amounts.join(' or ')} atomic units in the 402`] : []),
    ...(declared === undefined ? [] : [`$${declared} in OpenAPI`]),
  ];
  return unless(listed !== undefined && others.every((amount) => amount === listed), {
    where,
    problem: `the price is ${prices.join(', ')}`,
    fix: `Use one price for ${endpointOf(entry)}`,
  });
}

/** Challenges of paid routes can be paid; those of free routes ask for no money. */
export const requirementsCheck: Check = {
  name: 'requirements',
  run: (world) => unpaidAnswers(world).flatMap(({ entry, answer }) => requirementFaults(entry, answer)),
};

/** The catalog, the challenges and OpenAPI agree on prices. */
export const priceCheck: Check = {
  name: 'price',
  run: ({ routes, origin, documents }) => {
    const operations = operationsByEndpoint(documents.openapi.json);
    return routes.flatMap((probed) => priceFaults(probed, origin, operations.get(endpointOf(probed.entry))));
  },
};
