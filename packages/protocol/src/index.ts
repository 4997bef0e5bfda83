export * from './enumerations.ts';
export * from './foreign.ts';
export * from './headers.ts';
export * from './json.ts';
export * from './match.ts';
export * from './networks.ts';
export * from './pricing.ts';
export * from './providers.ts';
export * from './refusal.ts';
export { NEXT_STEPS, type NextStep, nextStepOf, REFUSALS, type RefusalCode } from './refusals.ts';
export {
  type Access,
  envelope,
  type HttpMethod,
  type InputSchemas,
  JSON_MEDIA_TYPE,
  type PositionalParameter,
  positionalParameters,
  type RequestValues,
  type Route,
  type Rule,
  type Surface,
  unchanged,
  type Values,
} from './route.ts';
export * from './routes/index.ts';
export * from './siwx.ts';
export * from './type-text.ts';
