// Runs Upstash's REST API in front of a local Redis, for bench/peers.ts: node bench/upstash-rest.mjs <redis url> <port>
import { createServer } from 'node:http';
import { Redis } from 'ioredis';
import { upstashCommands } from './upstash-commands.mjs';

const [, , url = '', port] = process.argv;
const answer = upstashCommands(new Redis(url));

createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = Buffer.concat(chunks).toString('utf8');
    const answered =
      body === '' ? {} : await answer(request.url, JSON.parse(body), request.headers['upstash-encoding'] === 'base64');
    const text = JSON.stringify(answered);
    const status = 'error' in answered ? 400 : 200;
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
    response.end(text);
  });
}).listen(Number(port), '127.0.0.1');
