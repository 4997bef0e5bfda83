import { isAddress } from '../chain/addresses.ts';
import { isList, isObject, type Json, readJson } from '../chain/json.ts';
import { IDENTITIES, type Identity } from './catalogue.ts';

/** A refusal of the wallet API. */
export class WalletRefusal extends Error {
  readonly status: number;
  readonly details: string | undefined;

  constructor(status: number, message: string, details?: string) {
    super(message);
    this.status = status;
    this.details = details;
  }
}

/** The wallet API's 400. */
const badRequest = (message: string, details?: string): WalletRefusal => new WalletRefusal(400, message, details);

/** The transaction types that filter the history. */
export const HISTORY_TYPES: readonly string[] = (
  'SWAP TRANSFER NFT_SALE NFT_BID NFT_LISTING NFT_MINT NFT_CANCEL_LISTING TOKEN_MINT BURN COMPRESSED_NFT_MINT ' +
  'COMPRESSED_NFT_TRANSFER COMPRESSED_NFT_BURN CREATE_STORE WHITELIST_CREATOR ADD_TO_WHITELIST ' +
  'REMOVE_FROM_WHITELIST AUCTION_MANAGER_CLAIM_BID EMPTY_PAYMENT_ACCOUNT UPDATE_PRIMARY_SALE_METADATA ' +
  'ADD_TOKEN_TO_VAULT ACTIVATE_VAULT INIT_VAULT INIT_BANK INIT_STAKE MERGE_STAKE SPLIT_STAKE ' +
  'CREATE_AUCTION_MANAGER START_AUCTION CREATE_AUCTION_MANAGER_V2 UPDATE_EXTERNAL_PRICE_ACCOUNT EXECUTE_TRANSACTION'
).split(' ');

const DOMAIN = /^[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/;

/** Checks a wallet address of the path. */
export function walletIn(text: string): string {
  if (!isAddress(text)) throw badRequest('Invalid wallet address', 'Expected a base58 address of 32 bytes');
  return text;
}

/** Checks a wallet address or a domain name. */
export const walletOrDomainIn = (text: string): string => (DOMAIN.test(text) ? text : walletIn(text));

/** An integer of the query. */
export function numberIn(
  query: URLSearchParams,
  name: string,
  bounds: { readonly fallback: number; readonly max: number },
): number {
  const text = query.get(name) ?? String(bounds.fallback);
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > bounds.max) throw badRequest(`Invalid ${name}`, `Expected 1 to ${bounds.max}`);
  return value;
}

/** A boolean of the query. */
export function flagIn(query: URLSearchParams, name: string, fallback: boolean): boolean {
  const text = query.get(name) ?? String(fallback);
  if (text !== 'true' && text !== 'false') throw badRequest(`Invalid ${name}`, 'Expected true or false');
  return text === 'true';
}

/** One of several texts of the query. */
export function choiceIn(query: URLSearchParams, name: string, choices: readonly string[]): string | undefined {
  const text = query.get(name) ?? undefined;
  if (text !== undefined && !choices.includes(text)) {
    throw badRequest(`Invalid ${name}`, `Expected one of ${choices.join(', ')}`);
  }
  return text;
}

const MAX_BATCH = 100;

/** The identity behind an address or a domain name. */
export const identityOf = (wallet: string): Identity | undefined =>
  IDENTITIES.find(({ address, domainNames = [] }) => address === wallet || domainNames.includes(wallet));

const identityJson = ({ address, type, name, category, tags, domainNames }: Identity): Json => ({
  address,
  type,
  name,
  category,
  tags,
  domainNames,
});

/** The identity of a wallet; throws a 404 if it is unknown. */
export function identity(wallet: string): Json {
  const known = identityOf(wallet);
  if (!known) throw new WalletRefusal(404, 'Identity not found', 'No known identity for this wallet');
  return identityJson(known);
}

/** The identities of up to 100 wallets; unknown ones have no name. */
export function batchIdentity(body: string): Json {
  let given: Json;
  try {
    given = readJson(body);
  } catch {
    throw badRequest('Invalid JSON');
  }
  const addresses = isObject(given) ? given.addresses : undefined;
  if (!isList(addresses) || addresses.length < 1 || addresses.length > MAX_BATCH) {
    throw badRequest('Invalid addresses', `Expected an array \`addresses\` of 1 to ${MAX_BATCH}`);
  }
  return addresses.map((each) => {
    const wallet = walletOrDomainIn(String(each));
    const known = identityOf(wallet);
    return known ? identityJson(known) : { address: wallet, type: 'unknown', name: null, category: null, tags: [] };
  });
}
