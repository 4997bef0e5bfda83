import { isList, isObject, type Json, readJson } from '../chain/json.ts';
import { IDENTITIES, type Identity } from './catalogue.ts';
import { badRequest, WalletRefusal, walletOrDomainIn } from './wallet-query.ts';

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
  if (!known) {
    throw new WalletRefusal(404, 'Identity not found', 'No known identity for this wallet');
  }
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
