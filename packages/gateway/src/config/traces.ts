import { parseUrl, type Reader } from './settings.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
];
const PROTOCOLS = ['http/protobuf', 'http/json'];
const MAX_TIMEOUT_MS = 60_000;
const GRPC =
  'OTEL_EXPORTER_OTLP_PROTOCOL: grpc is not supported; use http/protobuf, which collectors take on port 4318 instead of 4317.';

/** Where to send spans, and which to send. */
export interface TracesConfig {
  /** The collector's URL for traces. */
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** OpenTelemetry's name of the sampler. */
  readonly sampler: string;
  /** The fraction of traces that a ratio sampler keeps. */
  readonly ratio: number;
  /** Resource attributes, including `service.name`. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Whether upstream requests carry `traceparent`. */
  readonly reachesUpstreams: boolean;
}

/** Returns the variable for traces, or else the variable for all signals. */
const ofTraces = (read: Reader, name: string): string | undefined =>
  read.optional(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? read.optional(`OTEL_EXPORTER_OTLP_${name}`);

/** Reads pairs such as `key=value,other=value`. Values are URL-encoded. */
function readPairs(read: Reader, name: string, text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '');
  const entries = pairs.map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, Math.max(at, 0)).trim(), pair.slice(at + 1).trim()];
  });
  const isGood = entries.every(([key, value]) => /^[\w.-]+$/.test(key) && !/%(?![0-9a-f]{2})/i.test(value));
  read.check(isGood, `${name} must be pairs such as key=value,other=value, with URL-encoded values.`);
  return isGood ? Object.fromEntries(entries.map(([key, value]) => [key, decodeURIComponent(value)])) : {};
}

/** Returns the URL for traces. Their own URL is used unchanged; that of all signals gets a path. */
function readUrl(read: Reader): string | undefined {
  const own = read.optional('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const common = read.optional('OTEL_EXPORTER_OTLP_ENDPOINT');
  const text = own ?? common;
  if (text === undefined) return undefined;
  const url = parseUrl(text);
  const name = own === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  read.check(url !== undefined, `${name} must be a URL such as http://collector:4318, without a password.`);
  if (!url || own !== undefined) return url?.href;
  url.pathname = url.pathname.endsWith('/') ? `${url.pathname}v1/traces` : `${url.pathname}/v1/traces`;
  return url.href;
}

function readProtocol(read: Reader): TracesConfig['protocol'] {
  const text = ofTraces(read, 'PROTOCOL') ?? 'http/protobuf';
  const fault = text === 'grpc' ? GRPC : `OTEL_EXPORTER_OTLP_PROTOCOL must be one of ${PROTOCOLS.join(', ')}.`;
  read.check(PROTOCOLS.includes(text), fault);
  return text === 'http/json' ? 'http/json' : 'http/protobuf';
}

function readRatio(read: Reader): number {
  const text = read.text('OTEL_TRACES_SAMPLER_ARG', '1');
  const isGood = /^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/.test(text);
  read.check(isGood, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.');
  return isGood ? Number(text) : 1;
}

function readTimeout(read: Reader): number {
  const text = ofTraces(read, 'TIMEOUT') ?? '10000';
  const value = /^[1-9]\d{0,4}$/.test(text) ? Number(text) : Number.NaN;
  const isGood = value <= MAX_TIMEOUT_MS;
  read.check(isGood, `OTEL_EXPORTER_OTLP_TIMEOUT must be a whole number of milliseconds from 1 to ${MAX_TIMEOUT_MS}.`);
  return isGood ? value : MAX_TIMEOUT_MS;
}

/** Reads the settings of traces; undefined if they are off. */
export function readTraces(read: Reader): TracesConfig | undefined {
  const reachesUpstreams = read.choice('TRACE_UPSTREAMS', 'off', ['on', 'off']) === 'on';
  const isOff = read.text('OTEL_SDK_DISABLED', 'false').toLowerCase() === 'true';
  const url = isOff ? undefined : readUrl(read);
  if (url === undefined) return undefined;
  const given = readPairs(read, 'OTEL_RESOURCE_ATTRIBUTES', read.optional('OTEL_RESOURCE_ATTRIBUTES'));
  const own = read.optional('OTEL_SERVICE_NAME');
  const name = own ?? given['service.name'] ?? read.text('SERVICE_NAME', 'asset-gateway');
  return {
    url,
    protocol: readProtocol(read),
    headers: readPairs(read, 'OTEL_EXPORTER_OTLP_HEADERS', ofTraces(read, 'HEADERS')),
    timeoutMs: readTimeout(read),
    sampler: read.choice('OTEL_TRACES_SAMPLER', 'parentbased_always_on', SAMPLERS),
    ratio: readRatio(read),
    attributes: { ...given, 'service.name': name },
    reachesUpstreams,
  };
}
