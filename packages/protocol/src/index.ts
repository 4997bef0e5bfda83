export { ALLOWED_HEADERS, CORS_HEADERS, EXPOSED_HEADERS, SENT_BY_MISTAKE } from './cors.ts';
export { pkcs8OfSeed } from './ed25519.ts';
export { ENUMERATIONS } from './enumerations.ts';
export { envelope } from './envelope.ts';
export { breakEvenSolPrice, USUAL_FEE_LAMPORTS, USUAL_FEE_TEXT, usualFeeMicros } from './fees.ts';
export { HIDDEN, harmless, oneLine, readBytes, TooLarge } from './foreign.ts';
export { createMatcher, type Match, type Placed } from './match.ts';
export { type Cluster, clusterOfNetwork, NETWORKS, SIGN_IN_NETWORKS, USDC, USDC_DECIMALS } from './networks.ts';
export { HEADERS, type PaymentRequired, type Resource } from './payment-required.ts';
export { type PositionalParameter, positionalParameters } from './positional.ts';
export { dollars, type Pricing, priceMicros, RATES, type Rates } from './pricing.ts';
export { CATALOG_PROVIDERS, PROVIDERS, type Provider, type UpstreamProvider } from './providers.ts';
export { type Issue, type PaymentState, Refusal, type RefusalDetails, refusalBody } from './refusal.ts';
export { REFUSALS, type RefusalCode } from './refusals.ts';
export {
  type Access,
  type HttpMethod,
  type InputSchemas,
  JSON_MEDIA_TYPE,
  type RequestValues,
  type Route,
  type Rule,
  type Surface,
  type Values,
} from './route.ts';
export {
  consoleRoutes,
  creditRoutes,
  everyRoute,
  faucetRoute,
  receiptRoutes,
  routes,
  withCredit,
} from './routes/index.ts';
export { SIWX_EXTENSION, type SiwxInfo, siwxExtension } from './siwx/challenge.ts';
export { type SiwxMessage, siwxMessageText } from './siwx/message.ts';
export { readSiwxPayload, type SiwxPayload } from './siwx/payload.ts';
