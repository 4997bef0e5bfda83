import { dirname, resolve } from 'node:path';
import { type Cluster, nearest, type OwnPrice, oneLine, type Route } from '@asset-gateway/protocol';
import { DocumentFault, OpenApiDocument, type Operation, shown } from '../../apis/document.ts';
import { isOfHttp, type SentHere } from '../../apis/parameters.ts';
import { rowOfOperation } from '../../apis/rows.ts';
import type { Lifetime } from '../../cache/lifetimes.ts';
import { TIMES } from '../../times.ts';
import { parseUrl } from '../settings.ts';
import { type ApiEntry, type FileEntry, microsOf, type OperationEntry, PRICED, schemaFaults } from './format.ts';
import { keyNameOf } from './keys.ts';
import { SurfaceSettings } from './surface-settings.ts';
import { readMembers } from './text.ts';

const API_NAME = /^[a-z][a-z0-9-]{1,30}$/;
const PARTS =
  'alchemy all any catalog credit das devnet gateway helius mainnet none rpc solana system tokens wallet'.split(' ');
/** The commands of the command line and, before the first underscore, its own MCP tools. */
const COMMANDS =
  'balances chart completion health markets mcp price quote read resume risk routes search spending tickers types variants'.split(
    ' ',
  );
const RESERVED = new Set([...PARTS, ...COMMANDS]);
const DEFAULT_LIMIT = 60;
const SECOND_MS = 1_000;
const TOO_LATE = `a paid operation waits at most ${TIMES.longestUpstreamMs / SECOND_MS} s, because its payment settles while its blockhash is valid`;
const CACHED = ['GET', 'POST'];

/** Whether a path and a key can be appended to this URL. After a query or fragment, even an empty one, they would be part of that. */
const isBaseUrl = (url: string): boolean => parseUrl(url) !== undefined && !/[?#]/.test(url);

/** The most reported faults of one API, because the search for the nearest name is slow. */
const MAX_FAULTS = 50;

/** Reads one API and collects its faults. */
class ApiReading {
  readonly faults: string[] = [];
  readonly name: string;
  /** The URLs in order of preference. While one is down, the next one is used. */
  readonly urls;
  readonly rows: Route[] = [];
  /** The parts that each row does not check or leaves out, by row id. */
  readonly notes = new Map<string, ReadonlySet<string>>();
  /** The operator's prices, by row id. */
  readonly prices = new Map<string, OwnPrice>();
  /** The lifetimes of cached rows, by row id. */
  readonly lifetimes = new Map<string, Lifetime>();
  readonly entry: ApiEntry;
  /** The time-out of one call in milliseconds; 0 means the usual one. */
  readonly timeoutMs: number;
  /** The document; undefined if it cannot be read. */
  document: OpenApiDocument | undefined;
  /** The rows by name, by path without parameter names, and by verb and such a path. */
  readonly #used = new Map<string, Route>();

  constructor(name: string, entry: ApiEntry) {
    this.name = name;
    this.entry = entry;
    this.timeoutMs = (entry.timeoutSeconds ?? 0) * SECOND_MS;
    this.urls = this.#urls();
  }

  /** Reads the document. Returns whether it has no fault. */
  read(folder: string, documents: Map<string, OpenApiDocument>): boolean {
    const { openapi } = this.entry;
    this.#check(
      API_NAME.test(this.name),
      'is not a name of 2 to 31 lower-case letters, digits and hyphens, the first a letter',
    );
    this.#check(
      !RESERVED.has(this.name),
      'is the name of a part of the gateway or of its command line; choose another',
    );
    this.document = this.#documentIn(resolve(folder, openapi), documents);
    if (this.document) this.#serve(this.document, openapi);
    return this.faults.length === 0;
  }

  #urls() {
    const { url, urls, key, requestsPerMinute = DEFAULT_LIMIT } = this.entry;
    this.#check((url === undefined) !== (urls === undefined), 'it needs either url or urls');
    const entries = urls ?? (url === undefined ? [] : [{ url }]);
    const targets = entries.map((entry) => ({ key, requestsPerMinute, ...entry }));
    const areUrls = targets.every((target) => isBaseUrl(target.url));
    this.#check(areUrls, 'url must be an http or https URL without a query');
    this.#check(new Set(targets.map((target) => target.url)).size === targets.length, 'urls has the same url twice');
    const keyNames = new Set(targets.flatMap((target) => keyNameOf(target.key) ?? []));
    const inHeaders = targets.flatMap(({ key: own }) => own?.header ?? []);
    const ofHttp = inHeaders.find(isOfHttp);
    this.#check(ofHttp === undefined, `the header ${ofHttp} belongs to HTTP; no key can be in it`);
    const own = Object.keys(this.entry.headers ?? {}).map((name) => name.toLowerCase());
    const refused = own.find((name) => name !== 'user-agent' && isOfHttp(name));
    this.#check(refused === undefined, `headers: HTTP or the gateway sets ${refused}; remove it`);
    this.#check(new Set(own).size === own.length, 'headers has the same name twice');
    const ofKey = own.find((name) => [...keyNames].some((each) => each.toLowerCase() === name));
    this.#check(ofKey === undefined, `headers: ${ofKey} carries the key; remove it`);
    this.#check(keyNames.size <= 1, 'the keys of all urls must have the same header or query name');
    return targets.map((target) => ({
      baseUrl: target.url,
      key: target.key,
      limitPerMinute: target.requestsPerMinute,
    }));
  }

  #check(holds: boolean, fault: string): void {
    if (!holds) this.faults.push(`apis.${this.name}: ${fault}`);
  }

  /** Returns the document in this file. APIs may share one, because reading a document is slow. */
  #documentIn(path: string, documents: Map<string, OpenApiDocument>): OpenApiDocument | undefined {
    try {
      const document = documents.get(path) ?? new OpenApiDocument(readMembers(path));
      documents.set(path, document);
      return document;
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      this.#check(false, `openapi: ${path} ${error.message}`);
      return undefined;
    }
  }

  #serve(document: OpenApiDocument, file: string): void {
    const { byName } = document;
    for (const [name, settings] of Object.entries(this.entry.operations)) {
      const operation = byName.get(name);
      if (operation === 'ambiguous') this.#check(false, `${file} has several operations ${shown(name)}; name a path`);
      else if (operation) this.#serveOne(document, operation, name, settings);
      else if (this.faults.length < MAX_FAULTS) {
        const near = nearest(name, [...byName.keys()]);
        const hint = near === undefined ? '' : `; the nearest is ${near}`;
        this.#check(false, `${file} has no operation ${shown(name)}${hint}`);
      }
    }
  }

  #serveOne(document: OpenApiDocument, operation: Operation, name: string, settings: OperationEntry): void {
    const { access = 'siwx', price, settlementFee, cluster = 'mainnet', cache } = this.entry;
    const inherited = { access, price, settlementFee, cache: settings.access === 'exact' ? undefined : cache };
    const own = { ...inherited, ...settings };
    const fault = (text: string) => this.#check(false, `operations.${name}: ${text}`);
    const isPaid = own.access === 'exact';
    if (isPaid && !(microsOf(own.price ?? '') >= 1)) fault(`a paid operation needs a price ${PRICED}`);
    if (isPaid && this.timeoutMs > TIMES.longestUpstreamMs) fault(`${TOO_LATE}; lower timeoutSeconds`);
    const hasPrice = (settings.price ?? settings.settlementFee) !== undefined;
    if (!isPaid && hasPrice) fault('it has a price, but its access is siwx');
    if (isPaid && settings.cache) fault('a paid operation is not cached');
    if (settings.cache && !CACHED.includes(operation.verb)) fault('cache is only for a GET or a POST');
    const { freshSeconds = 0, maxStaleSeconds = 0 } = own.cache ?? {};
    if (maxStaleSeconds < freshSeconds) fault('cache: maxStaleSeconds is below freshSeconds');
    if (settings.idempotent !== undefined && operation.verb === 'GET') fault('idempotent is not for a GET');
    try {
      const { row, notes } = rowOfOperation(document, operation, {
        api: this.name,
        access: own.access,
        cluster: cluster as Cluster,
        ...sentFor(this.entry),
        entry: settings,
      });
      this.#assertNew(row);
      this.rows.push(row);
      this.notes.set(row.id, notes);
      if (isPaid)
        this.prices.set(row.id, { micros: microsOf(own.price ?? ''), settlementFee: own.settlementFee ?? false });
      // A POST may have an effect, so it is cached only if its own entry says so.
      else if (own.cache && (row.httpMethod === 'GET' || settings.cache)) this.lifetimes.set(row.id, own.cache);
    } catch (error) {
      if (!(error instanceof DocumentFault)) throw error;
      fault(`${operation.verb} ${operation.path}: ${error.message}`);
    }
  }

  /** Throws if another row has the same name, or a path that matches the same requests. */
  #assertNew(row: Route): void {
    const shape = row.path.replace(/\/:\w+/g, '/:');
    const same = this.#used.get(`${row.httpMethod} ${shape}`) ?? this.#used.get(row.method);
    if (same) throw new DocumentFault(`it has the path or the name of ${same.id}`);
    const other = this.#used.get(shape) ?? row;
    if (other.path !== row.path) throw new DocumentFault(`its path has other parameter names than ${other.id}`);
    for (const name of [`${row.httpMethod} ${shape}`, shape, row.method]) this.#used.set(name, row);
  }
}

/** Returns what the gateway itself sends to an API. Its keys have the same name at all URLs. */
export const sentFor = ({ key, urls = [], headers = {} }: ApiEntry): SentHere => ({
  keyName: keyNameOf(key ?? urls.find((each) => each.key)?.key),
  headers: Object.keys(headers).map((name) => name.toLowerCase()),
});

/** An API with the rows that it serves. Its keys are in the environment. */
export type ApiPlan = Omit<ApiReading, 'faults' | 'read'>;

const faulty = (faults: readonly string[]) => ({ apis: [] as ApiPlan[], families: new SurfaceSettings(), faults });

function readFile(path: string) {
  try {
    const value = readMembers(path);
    const faults = schemaFaults(value);
    if (faults.length > 0) return faulty(faults);
    const file = value as FileEntry;
    const readings = Object.entries(file.apis ?? {}).map(([name, entry]) => new ApiReading(name, entry));
    const documents = new Map<string, OpenApiDocument>();
    const plans = readings.filter((reading) => reading.read(dirname(path), documents));
    const families = new SurfaceSettings(file);
    return { apis: plans, families, faults: [...readings, families].flatMap((reading) => reading.faults) };
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    return faulty([`${path} ${error.message}`]);
  }
}

const MAX_FAULT = 2_000;

/** Reads the file of APIs and their documents. Returns the APIs without faults, and each fault as a sentence that names its place. */
export function readApisFile(path: string) {
  const { faults, ...plans } = readFile(path);
  // Faults name texts of the documents, which must not reach a terminal as they are.
  return { ...plans, faults: faults.map((fault) => oneLine(fault, MAX_FAULT)) };
}
