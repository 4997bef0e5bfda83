import { parser } from '@prometheus-io/lezer-promql';

/** A label matcher: `status=~"200|429"`. */
export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** A metric of a query, with its label matchers. */
export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** The metrics and labels of a query. */
export interface Query {
  readonly selectors: readonly Selector[];
  /** The labels of every `by` and `on`. */
  readonly groupings: readonly string[];
  /** Whether it is a query at all. */
  readonly isSound: boolean;
}

interface Reading {
  selectors: { metric: string; matchers: Matcher[] }[];
  groupings: string[];
  isSound: boolean;
}

const unquoted = (text: string): string => text.slice(1, -1);

/** Reads a query with the grammar of Prometheus itself. */
export function readQuery(text: string): Query {
  // Grafana puts a duration in its place.
  const query = text.replaceAll('$__rate_interval', '5m');
  const reading: Reading = { selectors: [], groupings: [], isSound: true };
  let isGrouping = false;
  parser.parse(query).iterate({
    enter({ name, type, from, to }) {
      const own = query.slice(from, to);
      const matchers = reading.selectors.at(-1)?.matchers ?? [];
      if (type.isError) reading.isSound = false;
      else if (name === 'GroupingLabels') isGrouping = true;
      else if (name === 'Identifier') reading.selectors.push({ metric: own, matchers: [] });
      else if (name === 'LabelName' && isGrouping) reading.groupings.push(own);
      else if (name === 'LabelName') matchers.push({ label: own, operator: '', value: '' });
      else if (name === 'MatchOp') matchers.push({ ...lastOf(matchers), operator: own });
      else if (name === 'StringLiteral') matchers.push({ ...lastOf(matchers), value: unquoted(own) });
    },
    leave({ name }) {
      if (name === 'GroupingLabels') isGrouping = false;
    },
  });
  return reading;
}

/** Takes a matcher back to be completed. */
function lastOf(matchers: Matcher[]): Matcher {
  const last = matchers.pop();
  if (!last) throw new Error('a value without its label');
  return last;
}

/** Whether a value is one that a matcher asks for. */
export function matches({ operator, value }: Matcher, candidate: string): boolean {
  const isEqual = operator.includes('~') ? new RegExp(`^(?:${value})$`).test(candidate) : candidate === value;
  return operator.startsWith('!') ? !isEqual : isEqual;
}
