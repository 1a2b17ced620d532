import { join } from 'node:path';
import type { Rule } from './limiters';

/**
 * Configures nginx as one process. `/fast` admits everything, `/burst` any burst up to the limit, `/spaced` only evenly
 * spaced requests. The answer is a content handler, because `return` would run before `limit_req`.
 */
export function nginxConfiguration(folder: string, port: number, { limit, seconds }: Rule): string {
  const rate = `${Math.round((limit / seconds) * 60)}r/m`;
  const path = (name: string) => join(folder, name);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const location = (name: string, limited: string) => `    location = /${name} { limit_req ${limited}; empty_gif; }`;
  return `
daemon off;
master_process off;
worker_processes 1;
pid ${path('nginx.pid')};
error_log ${path('nginx.log')} crit;
events { worker_connections 2048; }
http {
  access_log off;
  keepalive_requests 1000000000;
  limit_req_status 429;
${temporary.map((name) => `  ${name}_temp_path ${path(name)};`).join('\n')}
  limit_req_zone $http_x_client zone=fast:32m rate=1000000r/s;
  limit_req_zone $http_x_client zone=burst:1m rate=${rate};
  limit_req_zone $http_x_client zone=spaced:1m rate=${rate};
  server {
    listen 127.0.0.1:${port};
${location('fast', 'zone=fast burst=1000000 nodelay')}
${location('burst', `zone=burst burst=${limit - 1} nodelay`)}
${location('spaced', 'zone=spaced')}
  }
}
`;
}

/** Configures HAProxy with one thread, which answers itself. `/fast` admits everything. */
export function haproxyConfiguration(port: number, { limit, seconds }: Rule): string {
  const backend = (name: string, of: number) => `
backend ${name}
  stick-table type string len 32 size 100k expire ${2 * of}s store http_req_rate(${of}s)
`;
  const track = (name: string, most: number) => `
  http-request track-sc0 req.hdr(x-client) table ${name} if { path /${name} }
  http-request deny deny_status 429 if { path /${name} } { sc_http_req_rate(0,${name}) gt ${most} }`;
  return `
global
  nbthread 1
  maxconn 2048
defaults
  mode http
  timeout client 30s
  timeout connect 5s
  timeout server 30s
frontend limited
  bind 127.0.0.1:${port}${track('fast', 2_000_000_000)}${track('exact', limit)}
  http-request return status 200 content-type text/plain string ok
${backend('fast', 60)}${backend('exact', seconds)}`;
}
