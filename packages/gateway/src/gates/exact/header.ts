import { HEADERS } from '@asset-gateway/protocol';
import type { Inbound } from '../../call.ts';
import { decodeBase64, decodeJsonHeader } from '../base64.ts';
import { SHORT_NETWORKS } from './terms.ts';

/** A payment as a header carries it, before anything in it is believed. */
export interface CarriedPayment {
  readonly transaction: Uint8Array;
  /** The client's copy of the requirement; version 1 of x402 has none, and names scheme and network only. */
  readonly accepted: unknown;
  readonly network: unknown;
  readonly version: 1 | 2;
}

const MAX_HEADER_BYTES = 8192;

const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

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
    return { transaction, accepted, network: member(accepted, 'network'), version };
  }
  if (version !== 1 || member(payload, 'scheme') !== 'exact') return undefined;
  return { transaction, accepted: undefined, network: networkOfShortName(member(payload, 'network')), version };
}

/** The payment of a request: nothing when none was sent, `malformed` when it is not one well-formed payment. */
export function carriedPayment({ headers }: Inbound): CarriedPayment | 'malformed' | undefined {
  const sent = [headers[HEADERS.payment.toLowerCase()], headers[HEADERS.oldPayment.toLowerCase()]];
  const values = new Set(sent.filter((value) => value !== undefined));
  if (values.size === 0) return undefined;
  const [value] = values;
  return (values.size === 1 && typeof value === 'string' && readPayment(value)) || 'malformed';
}

/** Whether the request paid in the old header, which is then answered in the old header as well. */
export const usesOldHeader = ({ headers }: Inbound): boolean => headers[HEADERS.oldPayment.toLowerCase()] !== undefined;
