// Sends written requests over several connections, each the next one as soon as its answer is complete, and reports how many were
// answered with 200. It does less for a request than any server, so that the server is saturated.
import { connect } from 'node:net';

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;

/** Whether a text is one complete answer. */
function isComplete(text) {
  const end = text.indexOf(HEAD_END);
  return end > 0 && text.length >= end + HEAD_END.length + Number(LENGTH.exec(text)?.[1] ?? 0);
}

function sendAll({ port, connections, requests }) {
  let [next, served] = [0, 0];
  const sender = () =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1').setNoDelay().setEncoding('latin1');
      let answer = '';
      const advance = () => {
        if (next >= requests.length) return socket.end();
        answer = '';
        socket.write(requests[next++], 'latin1');
      };
      socket.on('connect', advance).on('error', reject).on('close', resolve);
      socket.on('data', (chunk) => {
        answer += chunk;
        if (!isComplete(answer)) return;
        if (answer.startsWith('HTTP/1.1 200 ')) served++;
        advance();
      });
    });
  return Promise.all(Array.from({ length: connections }, sender)).then(() => served);
}

process.on('message', async (load) => process.send({ served: await sendAll(load) }));
