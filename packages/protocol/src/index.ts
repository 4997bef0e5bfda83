export * from './routes/index.ts';
export * from './wire.ts';
