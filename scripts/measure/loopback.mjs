/** Listens on a free port of loopback, and prints the address for the process that measures. */
export const listenOnLoopback = (server) =>
  server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`));
