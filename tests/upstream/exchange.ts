import type { Issue } from '@asset-gateway/protocol';
import { expect } from 'vitest';
import { readAnswers } from '../http/wire.ts';
import { sendRaw } from '../kit/raw.ts';
import type { TestGateway } from '../kit/test-gateway.ts';
import { secretsIn } from './canary.ts';

/** A request, written byte for byte. */
export interface Ask {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Written after the head as it is, without a Content-Length. */
  readonly tail?: string;
}

/** The members that answers of the gateway may have. */
export interface AnswerBody {
  readonly ok?: boolean;
  readonly error?: string;
  readonly message?: string;
  readonly requestId?: string;
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  readonly result?: unknown;
}

export interface Answered {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** The body as it came. */
  readonly bytes: Buffer;
  readonly text: string;
  readonly json: AnswerBody;
}

/** Longer than every deadline. */
const MAX_WAIT_MS = 25_000;

function writeHead({ method = 'GET', target, headers = {}, body }: Ask, port: number): string {
  const fields = {
    Host: `127.0.0.1:${port}`,
    Connection: 'close',
    ...(body !== undefined && { 'Content-Length': String(Buffer.from(body).length) }),
    ...headers,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

function parse(text: string): AnswerBody {
  try {
    return JSON.parse(text) as AnswerBody;
  } catch {
    return {};
  }
}

/** Sends one request on its own connection, and expects no secret in the answer. */
export async function send({ port }: Pick<TestGateway, 'port'>, ask: Ask): Promise<Answered> {
  const written = Buffer.concat([Buffer.from(writeHead(ask, port)), Buffer.from(ask.body ?? ask.tail ?? '')]);
  const raw = await sendRaw(port, written, MAX_WAIT_MS);
  expect(secretsIn(raw), ask.target).toEqual([]);
  const { status = 0, headers = {}, body = '' } = readAnswers(raw, [ask.method ?? 'GET'])[0] ?? {};
  const bytes = Buffer.from(body, 'latin1');
  const text = bytes.toString('utf8');
  return { status, headers: new Map(Object.entries(headers)), bytes, text, json: parse(text) };
}

/** Status and code of an answer. */
export const codeOf = ({ status, json }: Answered): string => `${status} ${json.error ?? 'ok'}`;

/** Slots left, by the RateLimit header, if any. */
export const slotsLeft = (answered: Answered): number | undefined => numberIn(answered, /r=(\d+)/);

/** Seconds until the next slot, by the RateLimit header. */
export const slotFreesIn = (answered: Answered): number | undefined => numberIn(answered, /t=(\d+)/);

function numberIn({ headers }: Answered, pattern: RegExp): number | undefined {
  const digits = pattern.exec(headers.get('ratelimit') ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}
