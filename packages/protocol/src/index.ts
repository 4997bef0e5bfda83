export { ENUMERATIONS } from './enumerations.ts';
export { HIDDEN, harmless, member, oneLine, readBytes, TooLarge } from './foreign.ts';
export {
  ALLOWED_HEADERS,
  CORS_HEADERS,
  EXPOSED_HEADERS,
  HEADERS,
  type PaymentRequired,
  type Resource,
  SENT_BY_MISTAKE,
} from './headers.ts';
export { createMatcher, type Match, type Placed } from './match.ts';
export { type Cluster, clusterOfNetwork, NETWORKS, SIGN_IN_NETWORKS, USDC, USDC_DECIMALS } from './networks.ts';
export {
  breakEvenSolPrice,
  dollars,
  type Pricing,
  priceMicros,
  RATES,
  type Rates,
  USUAL_FEE_LAMPORTS,
  USUAL_FEE_TEXT,
  usualFeeMicros,
} from './pricing.ts';
export { CATALOG_PROVIDERS, PROVIDERS, type Provider, type UpstreamProvider } from './providers.ts';
export { type Issue, type PaymentState, Refusal, type RefusalDetails, refusalBody } from './refusal.ts';
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
export { apiPath } from './routes/apis.ts';
export {
  catalogRow,
  consoleRoutes,
  creditRoutes,
  everyRoute,
  faucetRoute,
  receiptRoutes,
  routes,
} from './routes/index.ts';
export {
  pkcs8OfSeed,
  readSiwxPayload,
  SIWX_EXTENSION,
  type SiwxInfo,
  type SiwxMessage,
  type SiwxPayload,
  siwxExtension,
  siwxMessageText,
} from './siwx.ts';
export { comment, literal, quoted, typeText, uint64Paths } from './type-text.ts';
