const PROTOCOLS = ['postgres:', 'postgresql:'];

function isDatabaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, pathname } = new URL(text);
  return PROTOCOLS.includes(protocol) && hostname !== '' && pathname.length > 1;
}

/** Splits a PostgreSQL URL with several hosts, separated by commas, into one URL per host; empty if it is no such URL. */
export function databaseUrls(text: string): string[] {
  const start = text.indexOf('://') + '://'.length;
  const [authority = ''] = text.slice(start).split(/[/?]/, 1);
  const hostsAt = start + authority.lastIndexOf('@') + 1;
  const end = start + authority.length;
  const hosts = text.slice(hostsAt, end).split(',');
  const urls = hosts.map((host) => text.slice(0, hostsAt) + host + text.slice(end));
  return urls.every(isDatabaseUrl) ? urls : [];
}
