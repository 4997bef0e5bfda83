export { decodeBase58 } from './base58.ts';
export * from './routes/index.ts';
export * from './wire.ts';
