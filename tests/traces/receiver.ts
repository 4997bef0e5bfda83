import { type Arrival, startStrangeGateway } from '../kit/strange-gateway.ts';

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

const resourcesIn = (body: string): readonly Resource[] => JSON.parse(body).resourceSpans;
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

const spansIn = (body: string): ReceivedSpan[] =>
  resourcesIn(body)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ parentSpanId = '', status, attributes, ...span }) => {
      return { ...span, parentId: parentSpanId, status: status.code ?? 0, attributes: valuesOf(attributes) };
    });

/** How the collector answers: it accepts, says nothing, or answers with a status. */
type Mood = 'accept' | 'silent' | number;

/** A collector that takes OTLP over HTTP. */
export interface Receiver {
  mood: Mood;
  readonly url: string;
  readonly requests: Arrival[];
  /** Everything that arrived. */
  readonly raw: string;
  /** Of a gateway that sends JSON, like the resource. */
  readonly spans: ReceivedSpan[];
  readonly resource: Readonly<Record<string, string | number>>;
  close(): Promise<void>;
}

export async function startReceiver(mood: Mood = 'accept'): Promise<Receiver> {
  const { url, arrivals, answer, stop } = await startStrangeGateway();
  const receiver: Receiver = {
    mood,
    url,
    requests: arrivals,
    get raw() {
      return arrivals.map(({ body }) => body).join('');
    },
    get spans() {
      return arrivals.flatMap(({ body }) => spansIn(body));
    },
    get resource() {
      return valuesOf(arrivals.flatMap(({ body }) => resourcesIn(body))[0]?.resource.attributes ?? []);
    },
    close: stop,
  };
  answer((_, response) => {
    if (receiver.mood !== 'silent') response.writeHead(receiver.mood === 'accept' ? 200 : receiver.mood).end();
  });
  return receiver;
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
