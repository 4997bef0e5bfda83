import type { Proxies } from '../proxies.ts';
import type { Reader } from './settings.ts';

/** Whether a text is a proxy URL: only a host, with or without user and password. */
function isProxy(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
  const isBare = pathname === '/' && search === '' && hash === '' && hostname !== '';
  const isEscaped = !/%(?![0-9a-f]{2})/i.test(username + password);
  return ['http:', 'https:'].includes(protocol) && isBare && isEscaped;
}

function readProxy(read: Reader, name: string): string | undefined {
  const text = read.optional(name.toLowerCase()) ?? read.optional(name);
  if (text === undefined) return undefined;
  const url = text.includes('://') ? text : `http://${text}`;
  const isGood = isProxy(url);
  read.check(isGood, `${name} must be a URL such as http://user:password@proxy.example:3128.`);
  return isGood ? url : undefined;
}

/** Reads the proxies of outgoing requests from the usual variables. Lower-case names win. Undefined if none is set. */
export function readProxies(read: Reader): Proxies | undefined {
  const [http, https] = ['HTTP', 'HTTPS'].map((protocol) => {
    const name = `${protocol}_PROXY`;
    const url = readProxy(read, name);
    const way = `${protocol.toLowerCase()} requests to other hosts than those of NO_PROXY go through`;
    if (url !== undefined) read.notices.push(`${name}: ${way} ${new URL(url).host}`);
    return url;
  });
  const direct = read.optional('no_proxy') ?? read.text('NO_PROXY', '');
  if (http === undefined && https === undefined) return undefined;
  return { http, https, direct: direct.split(/[,\s]/).filter((entry) => entry !== '') };
}
