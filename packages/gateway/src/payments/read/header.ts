import { HEADERS, member } from '@asset-gateway/protocol';
import type { Inbound } from '../../call.ts';
import { decodeBase64, decodeJsonHeader } from '../../gates/encodings.ts';
import { SHORT_NETWORKS } from '../../receipts/response.ts';

/** A payment as a header contains it, before it is checked. */
export interface CarriedPayment {
  readonly transaction: Uint8Array;
  /** The client's copy of the requirement. Version 1 of x402 names only scheme and network. */
  readonly accepted: unknown;
  readonly network: unknown;
  /** `extra.ticket` of that copy. */
  readonly ticket: unknown;
  readonly version: 1 | 2;
}

const MAX_HEADER_BYTES = 8192;

function networkOfShortName(name: unknown): string | undefined {
  return Object.entries(SHORT_NETWORKS).find(([, short]) => short === name)?.[0];
}

function readPayment(header: string): CarriedPayment | undefined {
  if (header.length > MAX_HEADER_BYTES) return undefined;
  const payload = decodeJsonHeader(header);
  const encoded = member(member(payload, 'payload'), 'transaction');
  const transaction = typeof encoded === 'string' ? decodeBase64(encoded) : undefined;
  const version = member(payload, 'x402Version');
  if (!transaction) return undefined;
  if (version === 2) {
    const accepted = member(payload, 'accepted');
    const ticket = member(member(accepted, 'extra'), 'ticket');
    return { transaction, accepted, network: member(accepted, 'network'), ticket, version };
  }
  if (version !== 1 || member(payload, 'scheme') !== 'exact') return undefined;
  const network = networkOfShortName(member(payload, 'network'));
  return { transaction, accepted: undefined, network, ticket: undefined, version };
}

/** The payment of a request; undefined if there is none, `malformed` unless there is one well-formed payment. */
export function carriedPayment({ headers }: Inbound): CarriedPayment | 'malformed' | undefined {
  const sent = [headers[HEADERS.payment.toLowerCase()], headers[HEADERS.version1Payment.toLowerCase()]];
  const values = new Set(sent.filter((value) => value !== undefined));
  if (values.size === 0) return undefined;
  const [value] = values;
  return (values.size === 1 && typeof value === 'string' && readPayment(value)) || 'malformed';
}
