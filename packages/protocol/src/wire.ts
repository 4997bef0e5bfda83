/** Everything except the route table, whose schemas take longer to load than the client. */
export * from './digits.ts';
export * from './enumerations.ts';
export * from './foreign.ts';
export * from './headers.ts';
export * from './json.ts';
export * from './match.ts';
export * from './member-text.ts';
export * from './networks.ts';
export * from './pricing.ts';
export * from './providers.ts';
export * from './refusal.ts';
export { NEXT_STEPS, type NextStep, nextStepOf, REFUSALS, type RefusalCode } from './refusals.ts';
export * from './route.ts';
export * from './siwx.ts';
export * from './spending.ts';
export * from './times.ts';
export * from './transaction.ts';
export * from './type-text.ts';
