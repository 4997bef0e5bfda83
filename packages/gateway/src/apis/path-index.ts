import { fits, isBareParameter, segmentsOf, textsOf } from './path-texts.ts';

/** A path, with the texts around the parameters of each segment. A segment without parameters is one text. */
interface PathTemplate {
  readonly path: string;
  readonly segments: readonly (readonly string[])[];
}

const templateOf = (path: string): PathTemplate => ({
  path,
  segments: segmentsOf(path).map((segment) => textsOf(segment.toLowerCase())),
});

/** Returns the path's key. Two paths that a server may confuse have the same key. */
const pathKeyOf = (path: string): string =>
  segmentsOf(path)
    .map((segment) => (isBareParameter(textsOf(segment)) ? '{}' : segment.toLowerCase()))
    .join('/');

const isPlain = (texts: readonly string[]): boolean => texts.length === 1;
const isVerb = (texts: readonly string[]): boolean => texts.some((text) => text.includes(':'));
const firstOf = (texts: readonly string[]): string => texts[0] ?? '';

/** Whether values may turn one template segment into the other. Some servers cut the end of a segment, so it may differ. */
function mayMeet(own: readonly string[], other: readonly string[]): boolean {
  if (isBareParameter(other)) return true;
  const [first, otherFirst] = [firstOf(own), firstOf(other)];
  if (isPlain(own)) return isPlain(other) ? first === otherFirst : fits(first, other);
  return (isVerb(own) && isVerb(other)) || first.startsWith(otherFirst) || otherFirst.startsWith(first);
}

/** Whether a path becomes the other one if a server reads a parameter's value as fixed text. */
const becomes = ({ segments: own }: PathTemplate, { segments: other }: PathTemplate): boolean =>
  own.every((texts, at) => mayMeet(texts, other[at] ?? [])) &&
  own.some((texts, at) => !isPlain(texts) && !isBareParameter(other[at] ?? []));

type Lists = readonly (readonly PathTemplate[])[];

const templateCountOf = (lists: Lists): number => lists.reduce((sum, { length }) => sum + length, 0);
const fewest = (all: readonly Lists[]): Lists =>
  all.toSorted((a, b) => templateCountOf(a) - templateCountOf(b))[0] ?? [];

function addTo<Key>(lists: Map<Key, PathTemplate[]>, key: Key, template: PathTemplate): void {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  list.push(template);
}

/** Finds templates by the start of a text. */
class ByStart {
  readonly #lists = new Map<string, PathTemplate[]>();
  readonly #texts: readonly string[];
  readonly #lengths: readonly number[];

  constructor(templates: readonly PathTemplate[], textOf: (template: PathTemplate) => string) {
    for (const template of templates) addTo(this.#lists, textOf(template), template);
    this.#texts = [...this.#lists.keys()].sort();
    this.#lengths = [...new Set(this.#texts.map(({ length }) => length))];
  }

  /** Returns the templates whose text is a prefix of `text`. */
  starting(text: string): Lists {
    const lengths = this.#lengths.filter((length) => length <= text.length);
    return lengths.map((length) => this.#lists.get(text.slice(0, length)) ?? []);
  }

  /** Returns the templates whose text is a prefix of `text`, or has `text` as a prefix. */
  meeting(text: string): Lists {
    const lists = [...this.starting(text)];
    for (let at = this.#indexAfter(text); this.#texts[at]?.startsWith(text); at++) {
      lists.push(this.#lists.get(this.#texts[at] ?? '') ?? []);
    }
    return lists;
  }

  /** Returns the index of the first text that sorts after this one. */
  #indexAfter(text: string): number {
    let [low, high] = [0, this.#texts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#texts[middle] ?? '') <= text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The templates with the same number of segments, by their segment at one place. */
class PathColumn {
  readonly #open: readonly PathTemplate[];
  readonly #fixed: readonly PathTemplate[];
  readonly #verbs: readonly PathTemplate[];
  readonly #byStart: ByStart;

  constructor(templates: readonly PathTemplate[], at: number) {
    const textsAt = ({ segments }: PathTemplate) => segments[at] ?? [];
    const fixed = templates.filter((each) => !isBareParameter(textsAt(each)));
    this.#open = templates.filter((each) => isBareParameter(textsAt(each)));
    this.#fixed = fixed;
    this.#verbs = fixed.filter((each) => isVerb(textsAt(each)));
    this.#byStart = new ByStart(fixed, (each) => firstOf(textsAt(each)));
  }

  /** Returns all templates that may meet this segment, and perhaps others. */
  near(texts: readonly string[]): Lists {
    const first = firstOf(texts);
    if (isPlain(texts)) return [this.#open, ...this.#byStart.starting(first)];
    const verbs = isVerb(texts) ? [this.#verbs] : [];
    return [this.#open, ...verbs, ...(first === '' ? [this.#fixed] : this.#byStart.meeting(first))];
  }
}

/** Finds the paths of a document by the segments that they have in common with another path. */
export class PathIndex {
  readonly #byLength = new Map<number, PathTemplate[]>();
  readonly #columns = new Map<number, readonly PathColumn[]>();

  constructor(paths: readonly string[]) {
    const keys = new Set<string>();
    for (const path of paths) {
      const template = templateOf(path);
      if (!keys.has(pathKeyOf(path))) addTo(this.#byLength, template.segments.length, template);
      keys.add(pathKeyOf(path));
    }
  }

  /**
   * Returns the paths that this one becomes if a server reads a parameter as fixed text, for any values. Beyond `most` comparisons it
   * returns all that the path may become, because else a start would compare every two of them.
   */
  *othersOf(path: string, most = Number.POSITIVE_INFINITY): Generator<string> {
    const own = templateOf(path);
    const all = this.#byLength.get(own.segments.length) ?? [];
    const candidates = own.segments.flatMap((texts, at) =>
      isBareParameter(texts) ? [] : [this.#column(own, at).near(texts)],
    );
    const seen = new Set<PathTemplate>();
    for (const list of fewest([...candidates, [all]])) {
      for (const other of list) {
        if (!seen.has(other) && (seen.size >= most || becomes(own, other))) yield other.path;
        seen.add(other);
      }
    }
  }

  /** Returns a column. It is made when it is first read, because most documents need few. */
  #column({ segments: { length } }: PathTemplate, at: number): PathColumn {
    const templates = this.#byLength.get(length) ?? [];
    const columns = this.#columns.get(length) ?? Array.from({ length }, (_, place) => new PathColumn(templates, place));
    this.#columns.set(length, columns);
    return columns[at] as PathColumn;
  }
}
