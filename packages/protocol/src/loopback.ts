const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether the host name of a parsed http or https URL names this machine. Not for an unparsed Host header. */
export const isLoopbackHostname = (hostname: string): boolean => LOOPBACK.test(hostname);
