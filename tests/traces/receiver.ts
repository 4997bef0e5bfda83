import { type Arrival, startStrangeGateway } from '../kit/strange-gateway.ts';

/** The parts of OTLP in JSON that are read here. */
type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, string | number>> }[];
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty or absent for a root. */
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  /** 2 is an error. */
  readonly status: { readonly code?: number };
  readonly attributes: Attributes;
}
interface Resource {
  readonly resource: { readonly attributes: Attributes };
  readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
}

const resourcesIn = ({ body }: Arrival): readonly Resource[] => JSON.parse(body).resourceSpans;
const valuesOf = (attributes: Attributes = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0] ?? '']));

const spansIn = (arrival: Arrival) =>
  resourcesIn(arrival)
    .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
    .map(({ parentSpanId = '', status, attributes, ...span }) => {
      return { ...span, parentId: parentSpanId, status: status.code ?? 0, attributes: valuesOf(attributes) };
    });

/** A span as the collector got it. */
export type ReceivedSpan = ReturnType<typeof spansIn>[number];

/** Starts a collector that takes OTLP over HTTP. Its mood: it accepts, says nothing, or answers with a status. */
export async function startReceiver(mood: 'accept' | 'silent' | number = 'accept') {
  const { url, arrivals: requests, answer, stop } = await startStrangeGateway();
  const receiver = {
    mood,
    url,
    requests,
    /** Everything that arrived. */
    raw: () => requests.map(({ body }) => body).join(''),
    /** Of a gateway that sends JSON, like the resource. */
    spans: () => requests.flatMap(spansIn),
    resource: () => valuesOf(requests.flatMap(resourcesIn)[0]?.resource.attributes),
    stop,
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
