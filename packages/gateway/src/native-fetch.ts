// Node's fetch and the package undici share one global dispatcher, set by whichever loads first. With the package's dispatcher,
// Node's fetch rejects an explicit Content-Length. Touching a fetch class loads Node's own first, so a program that embeds the
// gateway keeps its fetch.
void globalThis.Response;
