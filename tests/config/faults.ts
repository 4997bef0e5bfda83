import { ConfigError, type Environment, readConfig } from '@asset-gateway/gateway';

/** The faults of a configuration; none if it is good. */
export function faultsOf(environment: Environment): readonly string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
}

/** A deployment that sells, with a facilitator or without one. */
export const SOLD = { HELIUS_API_KEY: 'k', PAY_TO_WALLET: '1'.repeat(32) };
export const WITH_FACILITATOR = { ...SOLD, FACILITATOR_URL: 'https://facilitator.example' };
