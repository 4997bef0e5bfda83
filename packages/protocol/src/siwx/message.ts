/** What a wallet signs, field by field: a sign-in without its signature. */
export interface SiwxMessage {
  readonly domain: string;
  readonly address: string;
  readonly statement?: string;
  readonly uri: string;
  readonly version: string;
  /** CAIP-2, `solana:<chain reference>`. */
  readonly chainId: string;
  readonly nonce: string;
  readonly issuedAt: string;
  readonly expirationTime?: string;
  readonly notBefore?: string;
  readonly requestId?: string;
  readonly resources?: readonly string[];
}

/** The text whose UTF-8 bytes a Solana wallet signs (x402 sign-in-with-x; the layout of EIP-4361). */
export function siwxMessageText(message: SiwxMessage): string {
  const lines = [`${message.domain} wants you to sign in with your Solana account:`, message.address, ''];
  if (message.statement) lines.push(message.statement, '');
  lines.push(
    `URI: ${message.uri}`,
    `Version: ${message.version}`,
    `Chain ID: ${message.chainId.split(':')[1]}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt}`,
  );
  if (message.expirationTime) lines.push(`Expiration Time: ${message.expirationTime}`);
  if (message.notBefore) lines.push(`Not Before: ${message.notBefore}`);
  if (message.requestId) lines.push(`Request ID: ${message.requestId}`);
  if (message.resources?.length) lines.push('Resources:', ...message.resources.map((resource) => `- ${resource}`));
  return lines.join('\n');
}
