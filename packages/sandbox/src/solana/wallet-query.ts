import { isAddress } from '../chain/addresses.ts';

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
export const badRequest = (message: string, details?: string): WalletRefusal =>
  new WalletRefusal(400, message, details);

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
  if (!isAddress(text)) {
    throw badRequest('Invalid wallet address', 'Expected a base58 address of 32 bytes');
  }
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
  if (value < 1 || value > bounds.max) {
    throw badRequest(`Invalid ${name}`, `Expected 1 to ${bounds.max}`);
  }
  return value;
}

/** A boolean of the query. */
export function flagIn(query: URLSearchParams, name: string, fallback: boolean): boolean {
  const text = query.get(name) ?? String(fallback);
  if (text !== 'true' && text !== 'false') {
    throw badRequest(`Invalid ${name}`, 'Expected true or false');
  }
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
