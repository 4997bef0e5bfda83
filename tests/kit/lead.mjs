import net from 'node:net';

// Redirects connections from fixed ports of this machine to other ports. Load it before a program whose text names the fixed ports. LEAD
// is a JSON object from port to port.
const ports = JSON.parse(process.env.LEAD ?? '{}');
const { connect } = net;

net.connect = (options, ...rest) => {
  const port = ports[options.port];
  return connect.call(net, port ? { ...options, host: '127.0.0.1', port } : options, ...rest);
};
