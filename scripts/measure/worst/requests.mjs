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
  path.replace(/:(\w+)/g, (_, name) => text ?? encodeURIComponent(String(example.path?.[name])));

function queryOf({ example }) {
  const pairs = Object.entries(example.query ?? {}).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** A row's example as a request. */
export const exampleOf = (row) => ({
  method: row.httpMethod,
  target: pathOf(row) + queryOf(row),
  ...(row.httpMethod === 'POST' && { lines: [JSON_TYPE], body: JSON.stringify(row.example.body) }),
});

function inPath(row) {
  if (!row.input.path) return [];
  const room = TARGET_BYTES - pathOf(row, '').length - queryOf(row).length;
  const texts = entriesOf(PATHS, (text) => ({ target: pathOf(row, text(room)) + queryOf(row) }));
  return texts.map((each) => ({ ...exampleOf(row), place: 'path', ...each }));
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
  return [...whole, ...values].map((each) => ({ ...exampleOf(row), place: 'query', ...each }));
}

/** The places of a JSON value; `make` replaces the value at one of them by a text. */
function sitesOf(value, make, name = 'body') {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, member]) =>
          sitesOf(member, (text) => make(written(value, key, text)), `${name}.${key}`),
        )
      : [];
  return [{ name, make }, ...inner];
}

function written(value, key, text) {
  if (Array.isArray(value)) {
    return `[${value.map((item, index) => (String(index) === key ? text : JSON.stringify(item))).join()}]`;
  }
  const members = Object.entries(value).map(
    ([name, member]) => `${JSON.stringify(name)}:${name === key ? text : JSON.stringify(member)}`,
  );
  return `{${members.join()}}`;
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

function inBody(row, { kinds }) {
  const { input, example } = row;
  if (!input.body) {
    const isBare = row.access === 'exact';
    return [{ ...exampleOf(row), place: 'body', kind: 'one letter', body: 'z'.repeat(BODY_BYTES), isBare }];
  }
  const texts = sitesOf(example.body, (text) => text).flatMap(({ name, make }, index) =>
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
  return [...texts, ...raw, ...almostGood(row)].map((each) => ({ ...exampleOf(row), place: 'body', ...each }));
}

const base64 = (text) => Buffer.from(text).toString('base64');

/** Sign-in and payment headers with invalid contents. */
function inCredentials({ access }, { kinds }) {
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
  const credentials = inCredentials(row, { kinds }).map((each) => ({
    ...each,
    lines: [...lines, ...each.lines],
    isBare: true,
    isCredential: true,
  }));
  const asked = entriesOf(HEADER_VALUES, (text) => ({
    method: 'OPTIONS',
    lines: [`Access-Control-Request-Headers: ${text(room)}`],
    body: undefined,
    isBare: true,
  }));
  // With a payment a valid request would be verified, at a cost unrelated to other headers.
  const isBare = row.access === 'exact';
  return [...values, ...many, ...credentials, ...asked].map((each) => ({
    ...exampleOf(row),
    place: 'header',
    isBare,
    ...each,
  }));
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
 * completely only to the first of a surface, and of a method.
 */
export function worstOf(row, { isFirstOfSurface, isFirstOfMethod }) {
  const kinds = isFirstOfMethod ? JSON_VALUES : DEAREST_JSON_VALUES;
  const names = isFirstOfSurface ? NAMES : ['Accept'];
  return [...inPath(row), ...inQuery(row), ...inHeaders(row, { kinds, names }), ...inBody(row, { kinds })];
}

/** The worst requests that match no row. */
export const LOST = entriesOf(PATHS, (text) => ({
  place: 'path',
  method: 'GET',
  target: `/${text(TARGET_BYTES - 1)}`,
}));
