export { type Config, ConfigError, type Environment, processEnvironment, readConfig } from './config/config.ts';
export { runService } from './run.ts';
export { type RunningGateway, type StartOptions, startGateway } from './start.ts';
export { announce, type Simulated } from './start-screen.ts';
export type { OwnRoute } from './upstreams/upstream.ts';
