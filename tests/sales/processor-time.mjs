// Says on standard error, at the end of the process, how long it has kept a processor.
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(JSON.stringify({ processorSeconds: (user + system) / 1e6 }));
});
