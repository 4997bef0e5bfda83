import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What OTLP in JSON holds, as far as it is read here. */
interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, string | number>>;
}
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code?: number };
  readonly attributes: readonly Attribute[];
}
interface Resource {
  readonly resource: { readonly attributes: readonly Attribute[] };
  readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
}

const resourcesIn = (body: Buffer): readonly Resource[] => JSON.parse(body.toString()).resourceSpans;
const valuesOf = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']));

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
  readonly attributes: Readonly<Record<string, string | number>>;
}

const spansIn = (body: Buffer): ReceivedSpan[] =>
  resourcesIn(body)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ parentSpanId = '', status, attributes, ...span }) => {
      return { ...span, parentId: parentSpanId, status: status.code ?? 0, attributes: valuesOf(attributes) };
    });

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

  /** Of a gateway that sends JSON. */
  get spans(): ReceivedSpan[] {
    return this.requests.flatMap(({ body }) => spansIn(body));
  }

  get resource(): Readonly<Record<string, string | number>> {
    const [request] = this.requests;
    return request ? valuesOf(resourcesIn(request.body)[0]?.resource.attributes ?? []) : {};
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
