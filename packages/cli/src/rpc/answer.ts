import { type Call, type GatewayClient, GatewayError } from '@asset-gateway/client';
import { isObject, losslessJson, losslessValue, type Members, memberText, oneLine } from '@asset-gateway/protocol';
import pLimit from 'p-limit';
import { failureSentence, type Servers } from '../failure.ts';
import type { Fallback } from './fallback.ts';

const MAX_BATCH = 100;
/** Calls at once; others wait in sequence. */
const MAX_CALLS = 16;
const MAX_NAME = 64;
const MAX_SENTENCE = 2_000;

/** The codes of JSON-RPC 2.0. Solana's own codes have other meanings, and kit throws a TypeError for an unknown code. */
const CODES = { notJson: -32_700, invalid: -32_600, notSold: -32_601, wrongParams: -32_602, refused: -32_603 } as const;

/** The parts that answer requests. */
export interface Node {
  /** Pays from credit. */
  readonly client: GatewayClient;
  readonly peers: Servers;
  /** Advice if a call is not paid. */
  readonly unpaidHint: string;
  /** Answers methods that the gateway does not sell. */
  readonly fallback: Fallback | undefined;
}

/** Thrown by this server to refuse a call. */
class Refused extends Error {
  readonly code: number;
  readonly data: Members | undefined;

  constructor(code: number, message: string, data?: Members) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const errorText = ({ code, message, data }: Refused, id: unknown): string =>
  losslessJson({ jsonrpc: '2.0', id: id ?? null, error: { code, message, data } });

type Method = (...values: unknown[]) => Call<unknown>;

/** Returns the call of a method with unchanged parameters; undefined if the gateway does not sell the method. */
function callOf({ rpc, das }: GatewayClient, method: string, params: unknown): Call<unknown> | undefined {
  const [positional, named] = [rpc, das].map((family) => {
    return Object.hasOwn(family, method) ? (Reflect.get(family, method) as Method) : undefined;
  });
  if (positional) {
    if (!Array.isArray(params ?? [])) throw new Refused(CODES.wrongParams, `${method} takes params as an array`);
    return positional(...((params ?? []) as unknown[]));
  }
  if (named && !isObject(params ?? {})) throw new Refused(CODES.wrongParams, `${method} takes params as an object`);
  return named?.(params ?? {});
}

const soldBy = ({ rpc, das }: GatewayClient): string => [...Object.keys(rpc), ...Object.keys(das)].join(', ');

/** Returns a failure with the gateway's message. Its code and the wrong parameters are data. */
function refusedBy(error: unknown, { peers, unpaidHint }: Node): Refused {
  if (error instanceof Refused) return error;
  const sentence = oneLine(failureSentence(error, peers), MAX_SENTENCE);
  if (!(error instanceof GatewayError)) return new Refused(CODES.refused, sentence);
  const { code, status, requestId, retryAfterSeconds, issues } = error;
  const wrong = issues.map(({ name, message }) => ` ${name}: ${message}`).join('');
  const message = oneLine(`${sentence}${wrong}${status === 402 ? ` ${unpaidHint}` : ''}`, MAX_SENTENCE);
  const data = { code, status, requestId, retryAfterSeconds };
  return new Refused(code === 'invalid_request' ? CODES.wrongParams : CODES.refused, message, data);
}

/** Answers Solana's JSON-RPC with paid calls to a gateway. */
export class Answers {
  readonly #node: Node;
  readonly #limited = pLimit(MAX_CALLS);

  constructor(node: Node) {
    this.#node = node;
  }

  /** Returns the answer to a body, which may be a batch. Empty if no request of the body has an id. Numbers keep every digit. */
  async to(body: string): Promise<string> {
    let requests: unknown;
    try {
      requests = losslessValue(body) ?? JSON.parse(body);
    } catch {
      return errorText(new Refused(CODES.notJson, 'the body is not JSON'), null);
    }
    if (!Array.isArray(requests)) return (await this.#one(requests)) ?? '';
    if (requests.length === 0 || requests.length > MAX_BATCH) {
      return errorText(new Refused(CODES.invalid, `a batch has 1 to ${MAX_BATCH} requests`), null);
    }
    const answers = await Promise.all(requests.map((each) => this.#one(each)));
    const texts = answers.filter((text) => text !== undefined);
    return texts.length === 0 ? '' : `[${texts.join(',')}]`;
  }

  /** Returns the answer to one request; undefined if the request has no id to answer by. */
  async #one(request: unknown): Promise<string | undefined> {
    if (!isObject(request) || typeof request.method !== 'string') {
      return errorText(new Refused(CODES.invalid, 'this is not a JSON-RPC request'), null);
    }
    const { id } = request;
    if (id === undefined) return undefined;
    try {
      return await this.#limited(() => this.#answer(request, String(request.method)));
    } catch (error) {
      return errorText(refusedBy(error, this.#node), id);
    }
  }

  /** Returns the gateway's answer. If it does not sell the method or refuses the parameters, the fallback's. */
  async #answer({ id, params }: Members, method: string): Promise<string> {
    const { fallback } = this.#node;
    try {
      const result = memberText((await this.#call(method, params).full()).text, 'result') ?? 'null';
      return `{"jsonrpc":"2.0","id":${losslessJson(id)},"result":${result}}`;
    } catch (error) {
      const isTaken = refusedBy(error, this.#node).code === CODES.refused;
      if (isTaken || !fallback) throw error;
      return fallback(losslessJson({ jsonrpc: '2.0', id, method, params }));
    }
  }

  #call(method: string, params: unknown): Call<unknown> {
    const { client } = this.#node;
    const call = callOf(client, method, params);
    if (call) return call;
    const name = oneLine(method, MAX_NAME);
    const message = `the gateway does not sell ${name}; it sells ${soldBy(client)}. --fallback <url> answers other methods`;
    throw new Refused(CODES.notSold, message);
  }
}
