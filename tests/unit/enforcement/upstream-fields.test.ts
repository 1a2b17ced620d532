import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '@/lib/config/config';
import { buildUpstreamRequest } from '@/lib/enforcement/upstream-proxy';

const BOOTSTRAP = 'bootstrap-token-0123456789-0123456789';
const NONCE = 'nonce-of-this-process';
const config = parseConfig({ SLUICE_ADMIN_TOKEN: BOOTSTRAP }, NONCE);

function fields(sent: Record<string, string>): Record<string, string> {
  const headers = { host: 'a.example', 'x-sluice-peer': `${NONCE} 192.0.2.1`, ...sent };
  const request = new Request('http://localhost/x', { headers });
  return Object.fromEntries(buildUpstreamRequest(request, 'http://127.0.0.1:1', config, 'request-1').headers);
}

const OURS = {
  'x-forwarded-for': '192.0.2.1',
  'x-forwarded-host': 'a.example',
  'x-forwarded-proto': 'http',
  'x-request-id': 'request-1',
};

describe('the fields that go to the upstream', () => {
  it('lose what Connection names, but neither framing, nor Host, nor what Sluice says', () => {
    const sent = {
      connection: 'close, X-Private ,, content-length, transfer-encoding, host, "x", x-forwarded-for, x-request-id',
      'content-length': '5',
      'x-private': '1',
      'x-public': '2',
    };
    expect(fields(sent)).toEqual({ host: 'a.example', 'content-length': '5', 'x-public': '2', ...OURS });
  });

  it('continue the trace of the client', () => {
    const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'vendor=1' };
    expect(fields(trace)).toEqual({ host: 'a.example', ...trace, ...OURS });
  });

  it('are ours, and what belongs to the connection is gone, whatever Connection says', () => {
    const names = ['content-length', 'transfer-encoding', 'host', 'te', 'upgrade', 'keep-alive', ...Object.keys(OURS)];
    const option = fc.oneof(fc.constantFrom(...names), fc.stringMatching(/^[ -~]{0,12}$/));
    fc.assert(
      fc.property(fc.array(option), (options) => {
        const got = fields({
          connection: options.join(','),
          te: 'trailers',
          upgrade: 'h2c',
          'transfer-encoding': 'chunked',
        });
        expect(got).toEqual({ host: 'a.example', 'transfer-encoding': 'chunked', ...OURS });
      }),
    );
  });

  it('cannot be forged with underscores, which CGI reads as dashes', () => {
    const forged = {
      x_forwarded_for: '6.6.6.6',
      X_Request_Id: 'x',
      'x-forwarded_host': 'x',
      content_length: '5',
      my_own: '1',
    };
    expect(fields(forged)).toEqual({ host: 'a.example', my_own: '1', ...OURS });
  });

  it.each([
    `Bearer slt_abc`,
    `bearer   slt_abc`,
    `Bearer ${BOOTSTRAP}`,
    `Token slt_abc`,
    `slt_abc`,
    `Basic eDp5, Bearer slt_abc`,
  ])('have no admin token: %s', (authorization) =>
    expect(fields({ authorization })).not.toHaveProperty('authorization'),
  );

  it.each(['Bearer of-the-client', 'Basic eDp5', 'Bearer xslt_abc', `Bearer ${BOOTSTRAP}x`])(
    'have what is for the upstream: %s',
    (authorization) => expect(fields({ authorization })).toMatchObject({ authorization }),
  );
});
