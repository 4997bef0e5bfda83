import { databaseUrls } from '../stores/sql/postgres-server.ts';
import { MAKE_ONE, type Reader } from './settings.ts';

const MIN_SECRET_LENGTH = 32;
const MAX_URL_LENGTH = 2_000;

/** Reads the secrets that this deployment signs with. */
export function readSecrets(read: Reader): string[] {
  const secrets = read.list('GATEWAY_SECRET');
  const areLongEnough = secrets.every((secret) => secret.length >= MIN_SECRET_LENGTH);
  read.check(
    areLongEnough,
    `GATEWAY_SECRET must have at least ${MIN_SECRET_LENGTH} characters in each entry of a list; ${MAKE_ONE}.`,
  );
  return secrets;
}

function isRedisUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
  const isPlain = /^\/?\d*$/.test(pathname) && search === '' && hash === '';
  const isEscaped = !/%(?![0-9a-f]{2})/i.test(username + password);
  return ['redis:', 'rediss:'].includes(protocol) && hostname !== '' && isPlain && isEscaped;
}

/** Reads the URL of the Redis that nodes share. */
export function readRedisUrl(read: Reader): string | undefined {
  const url = read.optional('REDIS_URL');
  if (url === undefined) return undefined;
  const isGood = isRedisUrl(url);
  read.check(isGood, 'REDIS_URL must be a URL such as redis://user:password@host:6379/0, or rediss:// for TLS.');
  const isSigned = !isGood || read.optional('GATEWAY_SECRET') !== undefined;
  read.check(
    isSigned,
    `GATEWAY_SECRET is required with REDIS_URL, because all nodes must sign with the same secret; ${MAKE_ONE}.`,
  );
  return url;
}

/** Reads the URL of the PostgreSQL that holds money. */
export function readDatabaseUrl(read: Reader): string | undefined {
  const url = read.optional('DATABASE_URL');
  const isGood = url === undefined || (url.length <= MAX_URL_LENGTH && databaseUrls(url).length > 0);
  read.check(isGood, 'DATABASE_URL must be a URL such as postgres://user:password@host:5432/name?sslmode=verify-full.');
  return url;
}
