export { decodeBase58, isAddress } from './base58.ts';
export * from './figures.ts';
export * from './loopback.ts';
export * from './routes/index.ts';
export * from './wire.ts';
