import { type Figures, groupOf, type Wanted } from './figures.ts';
import type { Growth } from './history.ts';

/** The figures that rules read. */
export interface Snapshot {
  readonly now: Figures;
  /** The figures of the previous scrape. */
  readonly before: Figures | undefined;
  readonly over: (minutes: number) => Growth | undefined;
}

/** A rule that finds a problem. */
export interface Rule {
  /** Its name in deploy/prometheus/alerts.yaml. */
  readonly alert: string;
  /** The span of the rule, if it reads counters. */
  readonly minutes?: number;
  readonly bound: number;
  /** Finds the subjects of the alert; an empty name if there is only one. */
  readonly find: (snapshot: Snapshot, rule: Rule) => readonly string[];
}

type Find = Rule['find'];

const SUBJECT = ['provider', 'cluster', 'surface', 'place'];
/** A rate over a few seconds means little. */
const LEAST_SECONDS = 60;

const only = (is: boolean): readonly string[] => (is ? [''] : []);

/** A gauge is above the bound. */
export const above =
  (name: string): Find =>
  ({ now }, { bound }) =>
    now.of(name).flatMap((sample) => (sample.value > bound ? [groupOf(sample, SUBJECT)] : []));

/** A gauge is above the bound in two scrapes: a single peak does not count. */
export const aboveTwice =
  (name: string): Find =>
  ({ now, before }, { bound }) =>
    only([now, before].every((figures) => (figures?.sum(name) ?? 0) > bound));

/** A gauge is below the bound. */
export const below =
  (name: string, wanted?: Wanted): Find =>
  ({ now }, { bound }) =>
    now.of(name, wanted).flatMap((sample) => (sample.value < bound ? [groupOf(sample, SUBJECT)] : []));

/** Requests per second with this code are above the bound. */
export const rateAbove =
  (code: string | RegExp): Find =>
  ({ over }, { minutes = 0, bound }) => {
    const { figures, seconds } = over(minutes) ?? {};
    return only((figures?.sum('requests_total', { code }) ?? 0) > bound * Math.max(seconds ?? 0, LEAST_SECONDS));
  };

/** Requests to a route with this code are above the bound. */
export const countAbove =
  (code: string): Find =>
  ({ over }, { minutes = 0, bound }) =>
    [...(over(minutes)?.figures.by('requests_total', ['route'], { code }) ?? [])].flatMap(([route, count]) =>
      count > bound ? [route] : [],
    );

/** The share of `those` among `these` requests to a route is above the bound. */
export const shareAbove =
  (those: Wanted, these: Wanted): Find =>
  ({ over }, { minutes = 0, bound }) => {
    const figures = over(minutes)?.figures;
    const all = figures?.by('requests_total', ['route'], these);
    return [...(figures?.by('requests_total', ['route'], those) ?? [])].flatMap(([route, count]) =>
      count > bound * (all?.get(route) ?? 0) ? [route] : [],
    );
  };

/** The growth of the counters meets a condition. */
export const growthWhere =
  (fits: (growth: Growth, bound: number, now: Figures) => boolean): Find =>
  ({ now, over }, { minutes = 0, bound }) => {
    const growth = over(minutes);
    return only(growth !== undefined && fits(growth, bound, now));
  };

/** One of several keys is set aside, or was refused again on a retry. */
export const keySetAside: Find = ({ now, over }, { minutes = 0, bound }) => {
  const refused = over(minutes)?.figures.by('key_refusals_total', SUBJECT);
  return now.of('key_set_aside').flatMap((sample) => {
    const { provider = '', cluster = '', surface = '' } = sample.labels;
    const hasOthers = now.of('key_set_aside', { provider, cluster, surface }).length > 1;
    const subject = groupOf(sample, SUBJECT);
    return sample.value > bound || (hasOthers && (refused?.get(subject) ?? 0) > bound) ? [subject] : [];
  });
};
