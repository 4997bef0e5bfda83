// Node's own fetch sends through a dispatcher that it shares by name with the package undici. Whoever loads first sets it,
// and Node's fetch over the package's dispatcher refuses a Content-Length that its caller has stated. Touching one of its
// classes loads Node's first, so that a program that embeds the gateway keeps the fetch that it had.
void globalThis.Response;
