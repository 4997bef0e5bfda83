import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** The fields of a protobuf message: their numbers and values, read from the bytes alone. */
type Field = readonly [number: number, value: Buffer | bigint];

/** Reads a message by the wire format, so that no code of the exporter judges itself. */
function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new Error('the message is cut off');
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new Error('the message is cut off');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, type] = [tag >> 3, tag & 7];
    if (type === 0) fields.push([number, varint()]);
    else if (type === 1) fields.push([number, take(8).readBigUInt64LE()]);
    else if (type === 2) fields.push([number, take(Number(varint()))]);
    else if (type === 5) fields.push([number, BigInt(take(4).readUInt32LE())]);
    else throw new Error(`the message has a field of type ${type}`);
  }
  return fields;
}

const all = (bytes: Buffer, wanted: number): Buffer[] =>
  fieldsOf(bytes).flatMap(([number, value]) => (number === wanted && typeof value !== 'bigint' ? [value] : []));
const first = (bytes: Buffer, wanted: number): Buffer => all(bytes, wanted)[0] ?? Buffer.alloc(0);
const numberIn = (bytes: Buffer, wanted: number): number =>
  Number(fieldsOf(bytes).find(([number]) => number === wanted)?.[1] ?? 0);

function attributesOf(bytes: Buffer, place: number): Record<string, string | number> {
  const entries = all(bytes, place).map((pair): [string, string | number] => {
    const value = first(pair, 2);
    const [number, content] = fieldsOf(value)[0] ?? [1, Buffer.alloc(0)];
    return [first(pair, 1).toString(), number === 1 ? String(content) : Number(content)];
  });
  return Object.fromEntries(entries);
}

/** A span as the collector got it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for a root. */
  readonly parentId: string;
  readonly name: string;
  readonly kind: number;
  /** 2 is an error. */
  readonly status: number;
  readonly ns: number;
  readonly attributes: Readonly<Record<string, string | number>>;
}

function spansIn(request: Buffer): ReceivedSpan[] {
  const spans = all(request, 1).flatMap((resource) => all(resource, 2).flatMap((scope) => all(scope, 2)));
  return spans.map((span) => ({
    traceId: first(span, 1).toString('hex'),
    spanId: first(span, 2).toString('hex'),
    parentId: first(span, 4).toString('hex'),
    name: first(span, 5).toString(),
    kind: numberIn(span, 6),
    status: numberIn(first(span, 15), 3),
    ns: numberIn(span, 8) - numberIn(span, 7),
    attributes: attributesOf(span, 9),
  }));
}

/** How the collector answers: it accepts, says nothing, or answers with a status. */
type Mood = 'accept' | 'silent' | number;

/** A collector that takes OTLP over HTTP. */
export class Receiver {
  mood: Mood = 'accept';
  readonly requests: {
    readonly path: string;
    readonly headers: NodeJS.Dict<string | string[]>;
    readonly body: Buffer;
  }[] = [];
  readonly #server = createServer(async (request, response) => {
    this.requests.push({ path: request.url ?? '', headers: request.headers, body: await buffer(request) });
    this.#answer(response);
  });
  readonly #held: ServerResponse[] = [];

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Everything that arrived, as text whose bytes are kept. */
  get raw(): string {
    return Buffer.concat(this.requests.map(({ body }) => body)).toString('latin1');
  }

  get spans(): ReceivedSpan[] {
    const isProtobuf = ({ headers }: Receiver['requests'][number]) =>
      headers['content-type'] === 'application/x-protobuf';
    return this.requests.filter(isProtobuf).flatMap(({ body }) => spansIn(body));
  }

  get resource(): Readonly<Record<string, string | number>> {
    const [request] = this.requests;
    return request ? attributesOf(first(first(request.body, 1), 1), 1) : {};
  }

  async close(): Promise<void> {
    for (const response of this.#held) response.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(response: ServerResponse): void {
    if (this.mood === 'silent') this.#held.push(response);
    else response.writeHead(this.mood === 'accept' ? 200 : this.mood).end();
  }
}

/** The names of a trace as a tree: each span with those inside it, by time of arrival. */
export function treeOf(spans: readonly ReceivedSpan[], traceId: string): unknown {
  const own = spans.filter((span) => span.traceId === traceId);
  const ids = new Set(own.map(({ spanId }) => spanId));
  const under = (parentId: string): Record<string, unknown> =>
    Object.fromEntries(
      own
        .filter((span) => (parentId === '' ? !ids.has(span.parentId) : span.parentId === parentId))
        .map(({ name, spanId }) => [name, under(spanId)]),
    );
  return under('');
}
