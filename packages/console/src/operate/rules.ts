import { type Figures, groupOf, type Wanted } from './figures.ts';
import type { Growth } from './history.ts';

/** What a rule is held against. */
export interface Look {
  readonly now: Figures;
  /** How things were at the look before. */
  readonly before: Figures | undefined;
  readonly over: (minutes: number) => Growth | undefined;
}

/** Something that may be wrong. */
export interface Rule {
  /** The alert in deploy/prometheus/alerts.yaml whose threshold this is. */
  readonly alert: string;
  /** How far back is looked; nothing where only how things are now counts. */
  readonly minutes?: number;
  /** Where it begins to be wrong. */
  readonly bound: number;
  /** What it is wrong with; an empty name where there is only one. */
  readonly find: (look: Look, rule: Rule) => readonly string[];
}

type Find = Rule['find'];

const SUBJECT = ['provider', 'cluster', 'surface', 'place'];
/** A few seconds say little of what happens in a second. */
const LEAST_SECONDS = 60;

const only = (is: boolean): readonly string[] => (is ? [''] : []);

/** A gauge is above the bound. */
export const above =
  (name: string): Find =>
  ({ now }, { bound }) =>
    now.of(name).flatMap((sample) => (sample.value > bound ? [groupOf(sample, SUBJECT)] : []));

/** The same, and was at the look before: what may happen once. */
export const aboveTwice =
  (name: string): Find =>
  ({ now, before }, { bound }) =>
    only([now, before].every((figures) => (figures?.sum(name) ?? 0) > bound));

/** A gauge is below the bound. */
export const below =
  (name: string, wanted?: Wanted): Find =>
  ({ now }, { bound }) =>
    now.of(name, wanted).flatMap((sample) => (sample.value < bound ? [groupOf(sample, SUBJECT)] : []));

/** So many requests a second have had one of these codes. */
export const often =
  (code: string | RegExp): Find =>
  ({ over }, { minutes = 0, bound }) => {
    const { figures, seconds } = over(minutes) ?? {};
    return only((figures?.sum('requests_total', { code }) ?? 0) > bound * Math.max(seconds ?? 0, LEAST_SECONDS));
  };

/** So many requests to a route have had this code. */
export const times =
  (code: string): Find =>
  ({ over }, { minutes = 0, bound }) =>
    [...(over(minutes)?.figures.by('requests_total', ['route'], { code }) ?? [])].flatMap(([route, count]) =>
      count > bound ? [route] : [],
    );

/** So large a part of these requests to a route are those. */
export const part =
  (those: Wanted, these: Wanted): Find =>
  ({ over }, { minutes = 0, bound }) => {
    const figures = over(minutes)?.figures;
    const all = figures?.by('requests_total', ['route'], these);
    return [...(figures?.by('requests_total', ['route'], those) ?? [])].flatMap(([route, count]) =>
      count > bound * (all?.get(route) ?? 0) ? [route] : [],
    );
  };

/** What was added fits a condition. */
export const when =
  (fits: (growth: Growth, bound: number, now: Figures) => boolean): Find =>
  ({ now, over }, { minutes = 0, bound }) => {
    const growth = over(minutes);
    return only(growth !== undefined && fits(growth, bound, now));
  };

/** A key of several is refused: it is set aside now, or was refused when it was tried again. */
export const keySetAside: Find = ({ now, over }, { minutes = 0, bound }) => {
  const refused = over(minutes)?.figures.by('key_refusals_total', SUBJECT);
  return now.of('key_set_aside').flatMap((sample) => {
    const { provider = '', cluster = '', surface = '' } = sample.labels;
    const hasOthers = now.of('key_set_aside', { provider, cluster, surface }).length > 1;
    const subject = groupOf(sample, SUBJECT);
    return sample.value > bound || (hasOthers && (refused?.get(subject) ?? 0) > bound) ? [subject] : [];
  });
};
