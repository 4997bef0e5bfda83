/** What a failed fetch says about where it went. */
interface Cause {
  readonly code?: string;
  readonly message?: string;
  readonly port?: number;
  /** Of a name with several addresses, one for each. */
  readonly errors?: readonly Cause[];
}

const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

/** One sentence that says what to change. The RPC is where a payment's blockhash comes from. */
export function failureSentence(error: unknown, gateway: string): string {
  const { message, cause } = error as Error & { cause?: Cause };
  if (message !== 'fetch failed' || cause === undefined) return message;
  const url = new URL(gateway);
  const port = cause.port ?? cause.errors?.[0]?.port;
  if (port !== undefined && port !== portOf(url)) return `nothing answers on port ${port}; give --rpc another URL`;
  if (cause.code === 'ECONNREFUSED') {
    return `nothing listens on ${gateway}; run npm start first, or set ASSET_GATEWAY_URL`;
  }
  if (cause.code === 'ENOTFOUND') return `there is no host ${url.hostname}; set ASSET_GATEWAY_URL`;
  if (cause.message === 'unexpected redirect') {
    return `${gateway} sends elsewhere; set ASSET_GATEWAY_URL to the origin that answers itself`;
  }
  return `${gateway} cannot be reached (${cause.code ?? cause.message}); set ASSET_GATEWAY_URL to a gateway`;
}

function isRefusal(text: string): boolean {
  try {
    const body = JSON.parse(text) as { ok?: unknown; error?: unknown } | null;
    return body?.ok === false && typeof body.error === 'string';
  } catch {
    return false;
  }
}

/** How an answer of a gateway is shown; nothing when no gateway answers so. */
export function kindOf(response: Response, text: string): 'json' | 'text' | undefined {
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';');
  if (type === 'text/plain' && response.ok) return 'text';
  if (type !== 'application/json') return undefined;
  return response.ok || isRefusal(text) ? 'json' : undefined;
}
