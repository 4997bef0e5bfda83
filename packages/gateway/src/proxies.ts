import { isLoopbackHost } from './ip-address.ts';

/** The proxies for outgoing requests by protocol, and the hosts that are reached without one. */
export interface Proxies {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** The hosts and domains that are reached directly, perhaps with a port; `*` means all. */
  readonly direct: readonly string[];
}

let proxies: Proxies | undefined;

/** Sets this process's proxies for new connections. */
export function useProxies(chosen: Proxies | undefined): void {
  proxies = chosen;
}

function isNamed(entry: string, host: string, port: string): boolean {
  const colon = entry.startsWith('[') ? entry.indexOf(']:') + 1 : entry.indexOf(':');
  const [name, only] = colon > 0 ? [entry.slice(0, colon), entry.slice(colon + 1)] : [entry, port];
  const plain = name.toLowerCase().replace(/^\*?\./, '');
  return only === port && (plain === '*' || host === plain || host.endsWith(`.${plain}`));
}

/** A proxy's origin, and its Proxy-Authorization header if it needs one. */
export interface ProxyServer {
  readonly origin: string;
  readonly authorization: string | undefined;
}

function proxyAt(text: string): ProxyServer {
  const { origin, username, password } = new URL(text);
  const words = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { origin, authorization: username === '' ? undefined : `Basic ${words.toString('base64')}` };
}

/**
 * Returns the proxy for a URL, if any. This machine is always reached without one. undici's EnvHttpProxyAgent sends HTTPS through `http` if
 * there is no `https`, ignores a `*` beside other entries, and decides only for its own requests and not for those of Node's agents.
 */
export function proxyFor(url: URL): ProxyServer | undefined {
  const isSecure = url.protocol === 'https:';
  const proxy = isSecure ? proxies?.https : proxies?.http;
  if (proxy === undefined || isLoopbackHost(url.hostname)) return undefined;
  const port = url.port || (isSecure ? '443' : '80');
  return proxies?.direct.some((entry) => isNamed(entry, url.hostname, port)) ? undefined : proxyAt(proxy);
}
