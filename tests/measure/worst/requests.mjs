import { DEAREST_JSON_VALUES, HEADER_LINES, HEADER_VALUES, IN_URL, JSON_VALUES, PATHS, QUERIES } from './texts.mjs';

/** The gateway's limits. */
const TARGET_BYTES = 8 * 1024;
const HEADER_BYTES = 16 * 1024;
const BODY_BYTES = 64 * 1024;
const SIGN_IN_BYTES = 4 * 1024;
const PAYMENT_BYTES = 8 * 1024;
/** Room for the lines of every request: Host, Content-Type, Content-Length, and a sign-in or a payment. */
const OTHER_LINES_BYTES = 4 * 1024;

const JSON_TYPE = 'Content-Type: application/json';

const entriesOf = (kinds, make) => Object.entries(kinds).map(([kind, text]) => ({ kind, ...make(text) }));

/** A row's path, filled in from its example or with a text. */
const pathOf = ({ path, example }, text) =>
  path.replace(/(?<=\/):(\w+)/g, (_, name) => text ?? encodeURIComponent(String(example.path?.[name])));

const queryOf = ({ example }) => (example.query ? `?${new URLSearchParams(example.query)}` : '');

/** A row's example as a request. */
export const exampleOf = (row) => ({
  method: row.httpMethod,
  target: pathOf(row) + queryOf(row),
  ...(row.httpMethod === 'POST' && { lines: [JSON_TYPE], body: JSON.stringify(row.example.body) }),
});

function inPath(row) {
  if (!row.input.path) return [];
  const room = TARGET_BYTES - pathOf(row, '').length - queryOf(row).length;
  return entriesOf(PATHS, (text) => ({ target: pathOf(row, text(room)) + queryOf(row) }));
}

function inQuery(row) {
  const start = `${pathOf(row)}?`;
  const room = TARGET_BYTES - start.length;
  const names = Object.keys(row.input.query?.properties ?? {});
  const whole = entriesOf(QUERIES, (text) => ({ target: start + text(room) }));
  const values = names.flatMap((name) => [
    ...entriesOf(IN_URL, (text) => ({ target: `${start}${name}=${text(room - name.length - 1)}` })),
    { kind: 'again and again', target: start + `${name}=1&`.repeat(room / (name.length + 3)) },
  ]);
  return [...whole, ...values];
}

const MARK = 'the place';

/** The places of a JSON value; `make` replaces the value at one of them by a text. */
function sitesOf(value, replace = (inner) => inner, name = 'body') {
  const inner = Object.entries(Object(value)).flatMap(([key, member]) => {
    const replaceMember = (other) =>
      replace(Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other });
    return typeof value === 'object' ? sitesOf(member, replaceMember, `${name}.${key}`) : [];
  });
  const [before, after] = JSON.stringify(replace(MARK)).split(JSON.stringify(MARK));
  return [{ name, make: (text) => before + text + after }, ...inner];
}

/** Lists of the maximum length whose last item alone is invalid. */
function almostGood({ input, example }) {
  const lists = Object.entries(input.body.properties).filter(([, { type, maxItems }]) => type === 'array' && maxItems);
  return lists.map(([name, { maxItems }]) => {
    const [good] = Object.values(example.body).flat();
    const items = Array.from({ length: maxItems }, (_, at) => (at < maxItems - 1 ? good : 'z'.repeat(44)));
    return { kind: 'the last item of many', body: JSON.stringify({ [name]: items }) };
  });
}

function inBody(row, kinds) {
  const { input, example } = row;
  if (!input.body) return [{ kind: 'one letter', body: 'z'.repeat(BODY_BYTES), isBare: row.access === 'exact' }];
  const texts = sitesOf(example.body).flatMap(({ name, make }, index) =>
    entriesOf(index < 2 ? kinds : DEAREST_JSON_VALUES, (text) => ({
      site: name,
      body: make(text(BODY_BYTES - make('').length - 64)),
    })),
  );
  const raw = [
    { kind: 'nothing but brackets', body: '['.repeat(BODY_BYTES) },
    { kind: 'nothing but quotes', body: '"'.repeat(BODY_BYTES) },
    { kind: 'blanks around it', body: '{}'.padStart(BODY_BYTES) },
  ];
  return [...texts, ...raw, ...almostGood(row)];
}

const base64 = (text) => Buffer.from(text).toString('base64');

/** Sign-in and payment headers with invalid contents. */
function inCredentials({ access }, kinds) {
  if (access === 'public') return [];
  const [name, bytes] = access === 'siwx' ? ['SIGN-IN-WITH-X', SIGN_IN_BYTES] : ['PAYMENT-SIGNATURE', PAYMENT_BYTES];
  const json = (text) => base64(text((bytes * 3) / 4 - 16)).slice(0, bytes);
  return [
    ...entriesOf(HEADER_VALUES, (text) => ({ lines: [`${name}: ${text(bytes)}`] })),
    ...entriesOf(kinds, (text) => ({ lines: [`${name}: ${json(text)}`] })),
    { kind: 'more than may be', lines: [`${name}: ${'z'.repeat(HEADER_BYTES - OTHER_LINES_BYTES)}`] },
  ];
}

/** Headers that every row reads the same way. */
const NAMES = [
  'Accept',
  'Content-Type',
  'Content-Encoding',
  'Cookie',
  'If-None-Match',
  'Origin',
  'X-Forwarded-For',
  'X-Request-Id',
];

function inHeaders(row, { kinds, names }) {
  const room = HEADER_BYTES - OTHER_LINES_BYTES;
  const { lines = [] } = exampleOf(row);
  const values = names.flatMap((name) =>
    entriesOf(HEADER_VALUES, (text) => ({
      lines: [...lines.filter((line) => !line.startsWith(`${name}:`)), `${name}: ${text(room)}`],
    })),
  );
  const many = entriesOf(HEADER_LINES, (make) => ({ lines: [...lines, ...make(room)] }));
  const credentials = inCredentials(row, kinds).map((each) => {
    return { ...each, lines: [...lines, ...each.lines], isBare: true, isCredential: true };
  });
  const asked = entriesOf(HEADER_VALUES, (text) => ({
    method: 'OPTIONS',
    lines: [`Access-Control-Request-Headers: ${text(room)}`],
    body: undefined,
    isBare: true,
  }));
  // With a payment a valid request would be verified, at a cost unrelated to other headers.
  const isBare = row.access === 'exact';
  return [...values, ...many, ...credentials, ...asked].map((each) => ({ isBare, ...each }));
}

/** A served request as large as a hostile one: the row's example with the hostile request's lines, or with harmless ones. */
export function servedLike(row, { place, lines = [], isCredential }) {
  const example = exampleOf(row);
  if (place === 'body') return { ...example, body: (example.body ?? '').padEnd(BODY_BYTES, ' ') };
  if (place === 'header' && !isCredential) return { ...example, lines };
  const bytes = place === 'header' ? lines.join('').length : TARGET_BYTES;
  return { ...example, lines: [...(example.lines ?? []), `Accept: ${'z'.repeat(bytes)}`] };
}

/**
 * The worst requests for a row; `isBare` ones are sent only without a sign-in or payment. What other rows read the same way is sent
 * completely only to the first of a surface with its method.
 */
export function worstOf(row, isFirst) {
  const kinds = isFirst ? JSON_VALUES : DEAREST_JSON_VALUES;
  const names = isFirst ? NAMES : ['Accept'];
  const places = {
    path: inPath(row),
    query: inQuery(row),
    header: inHeaders(row, { kinds, names }),
    body: inBody(row, kinds),
  };
  return Object.entries(places).flatMap(([place, requests]) =>
    requests.map((each) => ({ ...exampleOf(row), place, ...each })),
  );
}

/** The worst requests that match no row. */
export const LOST = entriesOf(PATHS, (text) => ({ place: 'path', target: `/${text(TARGET_BYTES - 1)}` }));
