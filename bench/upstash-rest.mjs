// Runs Upstash's REST API in front of a local Redis, for bench/peers.ts: node bench/upstash-rest.mjs <redis url> <port>
import { Redis } from 'ioredis';
import { createUpstashRest } from '../tests/fixtures/upstash-rest.mjs';

const [, , url = '', port] = process.argv;
createUpstashRest(new Redis(url)).listen(Number(port), '127.0.0.1');
